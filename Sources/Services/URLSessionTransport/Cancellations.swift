import Foundation
import Synchronization
import UploadServices

/// Has tasks of a session cancelled, whatever their answers are doing to it.
///
/// To cancel waits for the session. On Linux that does not hear while an answer comes in faster than it is read: whatever is
/// read makes it read again first, all transfers stand still, and each piece leaves a kilobyte behind. Then the connection
/// is taken from it.
final class Cancellations: Sendable {
  private let queue = DispatchQueue(label: "http-cancellations")
  private let watch = DispatchQueue(label: "http-floods")
  /// Where connections go to.
  private let ports = Mutex<Set<UInt16>>([])

  func add(port: UInt16) { _ = ports.withLock { $0.insert(port) } }

  /// Calls `body`, which cancels one or more tasks, on a thread of its own.
  func run(_ body: @escaping @Sendable () -> Void) {
    let isThrough = DispatchSemaphore(value: 0)
    queue.async {
      body()
      isThrough.signal()
    }
    watch.async { [self] in
      while isThrough.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
        FloodedConnection.endAll(toPorts: ports.withLock { $0 })
      }
    }
  }
}

#if canImport(Glibc)
  /// A connection with more to read than any honest answer leaves unread.
  enum FloodedConnection {
    /// Ends those that go to one of `ports`: the session, whose descriptors they stay, reads no more from them.
    ///
    /// The session may close a descriptor meanwhile, and somebody else may be given its number. What is then ended in its place
    /// can only be a connection, too, and to break is what each of them must be ready for.
    static func endAll(toPorts ports: Set<UInt16>) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      for descriptor in names.compactMap(Int32.init) {
        guard let port = peerPort(of: descriptor), ports.contains(port) else { continue }
        var unread: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &unread) == 0, unread > HTTPRequest.mostBytesOfErrorPage
        else { continue }
        // Dissolves the association, and what is unread is gone; after `shutdown` it would still be read.
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
      }
    }

    /// nil: it is no connection over IP.
    private static func peerPort(of descriptor: Int32) -> UInt16? {
      // The port is at the same place in the addresses of both versions.
      var address = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return nil }
      return UInt16(bigEndian: address.sin6_port)
    }
  }
#else
  /// A connection with more to read than any honest answer leaves unread; the session cancels its task by itself.
  enum FloodedConnection {
    static func endAll(toPorts ports: Set<UInt16>) {}
  }
#endif
