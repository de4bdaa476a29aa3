import CProbes
import Foundation

/// What a process may have at once, and how much of it workers need.
package enum ProcessLimits {
  /// Files and pipes: enough for every contender and variant at once, and what macOS allows unless it is told otherwise.
  package static let leastDescriptors = 256
  /// Address space (`ulimit -v`): enough for hundreds of threads of eight megabytes. With less, libdispatch waits without end.
  package static let leastAddressBytes = 4 << 30
  /// Threads: enough for every contender of the catalog at once, and more. With fewer, libdispatch waits likewise.
  package static let leastThreads = 256

  /// `Int.max` if there is no limit; likewise the next.
  package static var descriptors: Int { limit(RLIMIT_NOFILE) }
  package static var addressBytes: Int { limit(RLIMIT_AS) }
  /// How many threads can be started at once, ``leastThreads`` at most; found out by doing it, since users have limits, too.
  package static var startableThreads: Int { Int(machine_startable_threads(Int32(leastThreads))) }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource
  #else
    private typealias Resource = Int32
  #endif

  private static func limit(_ resource: Resource) -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
      guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return .max }
    #else
      guard getrlimit(resource, &limit) == 0 else { return .max }
    #endif
    return Int(clamping: limit.rlim_cur)
  }
}
