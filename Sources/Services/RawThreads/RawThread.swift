import Foundation

/// A thread of its own: what drives contenders and what services complete on.
///
/// Never a queue and never the cooperative pool: those are what is measured.
public final class RawThread: Sendable {
  private let ended = Parker()

  /// Starts a thread that runs `body` once and ends.
  public init(name: String, body: @escaping @Sendable () -> Void) {
    let ended = ended
    let thread = Thread {
      body()
      ended.unpark()
    }
    thread.name = name
    thread.start()
  }

  /// Waits for the body to return. Call it at most once, from one thread.
  public func join() { ended.park() }
}
