/// A subscription that does one thing when it is first asked for a value.
///
/// It knows no types: what it does is a closure that was compiled for the subscriber it holds, which spares
/// the generic code that a subscription is otherwise reached through.
///
/// `@unchecked Sendable`: `action` belongs to the one call the gate tells to deliver or drop.
@usableFromInline
final class OnceAction: Subscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate(isResolved: true)
  @usableFromInline @exclusivity(unchecked) var action: (@Sendable () -> Void)?

  @inlinable init() {}

  /// Ends the setup phase. Called once, after `receive(subscription:)`.
  @inlinable
  func open(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    perform(gate.open())
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { perform(gate.request(demand).duty) }

  @usableFromInline
  func cancel() { perform(gate.cancel().duty) }

  @inlinable
  func perform(_ duty: OnceGate.Duty) {
    switch duty {
    case .nothing: return
    case .drop: action = nil
    case .deliver: action.take()?()
    }
  }
}
