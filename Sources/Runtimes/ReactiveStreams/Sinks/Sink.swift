extension Publisher {
  /// Asks for all values and hands them, then the end, to closures until the result is cancelled or dropped.
  ///
  /// They run on whichever thread sends, never two at a time, and not after a cancellation from the same thread.
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

  /// Asks for all values and writes each to a property, until the result is cancelled or dropped.
  ///
  /// The property is written on whichever thread sends, never by two at a time. An object that keeps the result while
  /// it is held strongly is a cycle: hold it weakly then.
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: any ReferenceWritableKeyPath<Root, Output> & Sendable, on root: Root,
    holding: Holding = .strongly
  ) -> AnyCancellable {
    switch holding {
    case .strongly: return sink { root[keyPath: keyPath] = $0 }
    case .weakly:
      let slot = SubscriptionSlot()
      receive(
        subscriber: SinkSubscriber<Output, Never>(
          slot: slot,
          receiveValue: { [weak root] value in
            if let root { root[keyPath: keyPath] = value } else { slot.cancel() }
          },
          receiveCompletion: { _ in }))
      return AnyCancellable(slot)
    }
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

/// How a sink holds the object that it writes to.
public enum Holding: Sendable {
  /// Until the stream ends or is cancelled: the object lives at least that long.
  case strongly
  /// By a weak reference: once the object is gone, the next value cancels the stream.
  case weakly
}
