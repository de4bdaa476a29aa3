import Foundation

/// How much address space a process may have (`ulimit -v`). Each thread takes eight megabytes of it, whether it uses them or not.
public enum MemoryLimit {
  /// In bytes: enough for hundreds of threads. With less, libdispatch waits for ever for threads that it cannot start.
  public static let leastBytes = 4 << 30

  /// What this process may have, in bytes; `Int.max` if there is no limit.
  public static var currentBytes: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return .max }
    #else
      guard getrlimit(RLIMIT_AS, &limit) == 0 else { return .max }
    #endif
    return Int(clamping: limit.rlim_cur)
  }
}
