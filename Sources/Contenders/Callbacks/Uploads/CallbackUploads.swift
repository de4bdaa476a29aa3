import Dispatch
import UploadScenario

/// Handwritten completion handlers, the contender with which all others are compared.
public struct CallbackUploads: Contender {
  public let name = "callbacks"
  public let summary = "completion handlers by hand: one lock, a count of requests and their handles"

  public init() {}
}

/// A timer on a global queue, until it is cancelled or released. `@unchecked Sendable`: any thread may use a dispatch source.
final class Timer: Cancellable, @unchecked Sendable {
  private let source = DispatchSource.makeTimerSource(queue: .global())

  init(after delay: Duration, repeats: Bool = false, _ body: @escaping @Sendable () -> Void) {
    source.schedule(deadline: .now() + .init(delay), repeating: repeats ? .init(delay) : .never)
    source.setEventHandler(handler: body)
    source.activate()
  }
  deinit { cancel() }
  func cancel() { source.cancel() }
}
