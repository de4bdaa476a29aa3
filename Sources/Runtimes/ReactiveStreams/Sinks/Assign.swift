/// How a sink holds the object that it writes to.
public enum Holding: Sendable {
  /// Until the stream ends or is cancelled: the object lives at least that long.
  case strongly
  /// Not at all: once the object is gone, the next value cancels the stream.
  case weakly
}

extension Publisher where Failure == Never {
  /// Asks for all values and writes each to a property, until the result is cancelled or dropped.
  ///
  /// The property is written on whichever thread sends, never by two at a time; an object that others use
  /// meanwhile has to synchronise its own access. An object that keeps the result while it is held strongly is
  /// a cycle: hold it weakly then.
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
