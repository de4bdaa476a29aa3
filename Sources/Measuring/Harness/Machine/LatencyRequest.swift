import Foundation
import Results

/// A request to keep processors out of deep sleep (PM QoS) until `end` is called or the process ends. Not thread-safe.
package final class LatencyRequest {
  /// The system refuses the request. `description` is a clause that says what is needed.
  package struct Refused: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  package static let path = "/dev/cpu_dma_latency"
  package static let microseconds = 0
  private var descriptor: Int32

  package init(
    path: String = LatencyRequest.path, isSupported: Bool = LatencyRequest.isSupported
  ) throws(Refused) {
    guard isSupported else {
      throw Refused(description: "keeping processors awake needs Linux and its \(path)")
    }
    // O_CLOEXEC: a child that outlives this process must not keep the request.
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.refused(path, errno) }
    var value = Int32(Self.microseconds)
    guard write(descriptor, &value, MemoryLayout.size(ofValue: value)) == MemoryLayout.size(ofValue: value)
    else {
      let code = errno
      close(descriptor)
      throw Self.refused(path, code)
    }
  }

  deinit { end() }

  package func end() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  static func refused(_ path: String, _ code: Int32) -> Refused {
    switch code {
    case EACCES, EPERM:
      Refused(
        description:
          "keeping processors awake needs write permission on \(path): run as root, or let root permit it")
    case ENOENT:
      Refused(
        description:
          "keeping processors awake needs \(path), which does not exist (`docker run --device \(path)`)")
    default:
      Refused(
        description:
          "the wanted wake-up latency cannot be written to \(path): \(String(cString: strerror(code)))")
    }
  }

  package static var isSupported: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
