import CProbes
import Foundation

/// How many files and pipes a process may have open at once. Each worker takes some.
public enum DescriptorLimit {
  /// Enough for every contender and variant at once, and what macOS allows unless it is told otherwise.
  public static let least = 256

  /// What this process may have; `Int.max` if there is no limit.
  public static var current: Int { currentLimit(RLIMIT_NOFILE) }
}

/// How much address space a process may have (`ulimit -v`). Each thread takes eight megabytes of it, whether it uses them or not.
public enum MemoryLimit {
  /// In bytes: enough for hundreds of threads. With less, libdispatch waits without end for threads that it cannot start.
  public static let leastBytes = 4 << 30

  /// What this process may have, in bytes; `Int.max` if there is no limit.
  public static var currentBytes: Int { currentLimit(RLIMIT_AS) }
}

/// How many threads this process and those that it starts may have: `ulimit -u` says so for a user, `pids.max` for a control
/// group, and what others have counts as well.
public enum ThreadLimit {
  /// Enough for every contender of the catalog at once, and more. With fewer, libdispatch waits without end for threads that it
  /// cannot start.
  public static let least = 256

  /// How many can be started at once, found out by doing it: ``least`` at most.
  public static var startable: Int { Int(machine_startable_threads(Int32(least))) }
}

#if canImport(Glibc)
  private typealias Resource = __rlimit_resource
#else
  private typealias Resource = Int32
#endif

private func currentLimit(_ resource: Resource) -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return .max }
  #else
    guard getrlimit(resource, &limit) == 0 else { return .max }
  #endif
  return Int(clamping: limit.rlim_cur)
}
