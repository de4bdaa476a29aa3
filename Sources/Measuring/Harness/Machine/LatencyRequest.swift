import Foundation
import Results

/// Asks the kernel to let processors wake from sleep at once (PM QoS), until it is ended, or the process. For one thread at a time.
package final class LatencyRequest {
  /// Nobody may ask for it here: what it needs, as a clause.
  package struct Refused: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  package static let path = "/dev/cpu_dma_latency"
  /// As in a record.
  package static let microseconds = 0
  private var descriptor: Int32

  /// - Parameters:
  ///   - path: where the kernel takes requests.
  ///   - isSupported: whether this system has a kernel that does.
  package init(
    path: String = LatencyRequest.path, isSupported: Bool = LatencyRequest.isSupported
  ) throws(Refused) {
    guard isSupported else { throw Refused(description: "it needs Linux, whose kernel takes it in \(path)") }
    // Not for children: one that outlives this process would go on asking.
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

  /// Takes it back; the second time nothing happens.
  package func end() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  static func refused(_ path: String, _ code: Int32) -> Refused {
    switch code {
    case EACCES, EPERM:
      Refused(description: "it needs write permission on \(path): be root, or let root permit it")
    case ENOENT: Refused(description: "it needs \(path), which is not there (`docker run --device \(path)`)")
    default: Refused(description: "it cannot be written to \(path): \(String(cString: strerror(code)))")
    }
  }

  /// Whether this system's kernel takes such requests at all.
  package static var isSupported: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
