import Dispatch
import Synchronization

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
