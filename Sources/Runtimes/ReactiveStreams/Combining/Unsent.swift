/// A subscriber's last signal, kept until whatever has to come before it is done.
///
/// `@unchecked Sendable`: whoever made it gives it to one thread, which sends it once.
@usableFromInline
final class Unsent<Downstream: Subscriber>: @unchecked Sendable {
  private var downstream: Downstream?
  private let completion: Subscribers.Completion<Downstream.Failure>?

  /// - Parameter completion: `nil` to drop the subscriber without a signal.
  @usableFromInline
  init(_ downstream: Downstream?, _ completion: Subscribers.Completion<Downstream.Failure>?) {
    self.downstream = downstream
    self.completion = completion
  }

  @usableFromInline
  func send() {
    var subscriber = downstream.take()
    if let completion { subscriber?.receive(completion: completion) }
  }
}
