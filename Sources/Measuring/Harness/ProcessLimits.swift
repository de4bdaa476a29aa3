import CProbes
import Foundation

/// What a process may have at once, and how much of it workers need.
package enum ProcessLimits {
  /// Files and pipes: enough for every contender and variant at once, and what macOS allows unless it is told otherwise.
  package static let leastDescriptors = 256
  /// Address space (`ulimit -v`): enough for hundreds of threads, of which each takes eight megabytes whether it uses them or
  /// not. With less, libdispatch waits without end for threads that it cannot start.
  package static let leastAddressBytes = 4 << 30
  /// Threads: enough for every contender of the catalog at once, and more. With fewer, libdispatch waits likewise.
  package static let leastThreads = 256

  /// `Int.max` if there is no limit; likewise the next.
  package static var descriptors: Int { limit(RLIMIT_NOFILE) }
  package static var addressBytes: Int { limit(RLIMIT_AS) }
  /// How many threads can be started at once, ``leastThreads`` at most. Found out by doing it: `ulimit -u` limits those of
  /// a user and `pids.max` those of a control group, and what others have counts as well.
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
