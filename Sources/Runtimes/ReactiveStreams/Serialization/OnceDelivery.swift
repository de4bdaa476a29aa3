/// A subscription that delivers what it was given when it is first asked for a value.
///
/// It knows no types: it has room for the subscriber and the value, and a closure that was compiled for them, which
/// spares the generic code that a subscription is otherwise reached through.
///
/// `@unchecked Sendable`: the room is filled before the gate opens, and belongs to the one call the gate tells to
/// deliver or drop.
@usableFromInline
final class OnceDelivery: Subscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate(isResolved: true)
  @usableFromInline @exclusivity(unchecked) var isHolding = false
  @usableFromInline @exclusivity(unchecked) var room = Room()
  /// Delivers what is in the room, or drops it.
  @usableFromInline let finish: (OnceDelivery, OnceGate.Duty) -> Void

  @inlinable
  init(finish: @escaping (OnceDelivery, OnceGate.Duty) -> Void) { self.finish = finish }

  deinit {
    if isHolding { finish(self, .drop) }
  }

  /// Ends the setup phase. Called once, after `receive(subscription:)`.
  @inlinable
  func open<Content>(_ content: consuming Content) {
    room.put(content)
    isHolding = true
    perform(gate.open())
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { perform(gate.request(demand).duty) }

  @usableFromInline
  func cancel() { perform(gate.cancel().duty) }

  @inlinable
  func perform(_ duty: OnceGate.Duty) {
    if duty == .nothing { return }
    isHolding = false
    finish(self, duty)
  }
}
