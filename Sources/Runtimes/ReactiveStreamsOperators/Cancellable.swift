import ReactiveStreams

/// Something that can be ended, from any thread; once is enough.
public protocol Cancellable: Sendable {
  /// Ends it, if it has not ended.
  func cancel()
}

extension AnyCancellable: Cancellable {}

extension AnyCancellable {
  /// Cancels it at most once: on the first `cancel()`, or when the last reference to this goes.
  public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }
}

extension Cancellable {
  /// Keeps this alive in a collection that the caller owns; it is cancelled when it is taken out.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    AnyCancellable(self).store(in: &collection)
  }

  /// Keeps this alive in a set that the caller owns; it is cancelled when it is taken out.
  public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}
