import Foundation

/// How many files and pipes a process may have open at once. Each worker takes some.
public enum DescriptorLimit {
  /// Enough for every contender and variant at once, and what macOS allows unless it is told otherwise.
  public static let least = 256

  /// What this process may have; `Int.max` if there is no limit.
  public static var current: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    #else
      guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return .max }
    #endif
    return Int(clamping: limit.rlim_cur)
  }
}
