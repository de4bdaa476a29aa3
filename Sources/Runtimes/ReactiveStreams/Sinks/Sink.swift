extension Publisher {
  /// Asks for all values and hands them, then the end, to closures until the result is cancelled or dropped.
  ///
  /// The closures run on whichever thread sends, never two at a time, and not after a cancellation from the
  /// same thread. They are released when the stream ends.
  @inlinable
  public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    let slot = SubscriptionSlot()
    receive(
      subscriber: SinkSubscriber(
        slot: slot, receiveValue: receiveValue, receiveCompletion: receiveCompletion))
    return AnyCancellable(slot)
  }
}

extension Publisher where Failure == Never {
  /// Asks for all values and hands them to a closure until the result is cancelled or dropped.
  @inlinable
  public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

@usableFromInline
struct SinkSubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let slot: SubscriptionSlot
  @usableFromInline let receiveValue: @Sendable (Input) -> Void
  @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    slot: SubscriptionSlot, receiveValue: @escaping @Sendable (Input) -> Void,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
  ) {
    self.slot = slot
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    if slot.keep(subscription) { subscription.request(.unlimited) }
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    if !slot.isEnded { receiveValue(input) }
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    if slot.end() { receiveCompletion(completion) }
  }
}
