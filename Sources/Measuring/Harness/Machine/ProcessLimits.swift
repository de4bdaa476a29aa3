import CProbes
import Foundation

package enum ProcessLimits {
  /// The number of open files that suffices for all contenders together. It is the default of macOS.
  package static let leastDescriptors = 256
  /// The address space (`ulimit -v`) that suffices for hundreds of threads. With less, libdispatch may hang.
  package static let leastAddressBytes = 4 << 30
  /// The number of threads that suffices for all contenders together. With fewer, libdispatch may hang.
  package static let leastThreads = 256

  package static var descriptors: Int { limit(RLIMIT_NOFILE) }
  package static var addressBytes: Int { limit(RLIMIT_AS) }
  /// The number of threads that can start, at most ``leastThreads``. Starts them to find out, since limits differ.
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
