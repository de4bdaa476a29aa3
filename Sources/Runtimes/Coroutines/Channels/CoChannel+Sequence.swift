extension AwaitSite {
  /// Where a loop stands in the source its iterator is not told.
  @usableFromInline static var iteration: AwaitSite {
    let subject: StaticString = "an element of a channel"
    return AwaitSite(subject: subject.utf8Start, file: nil, line: 0)
  }
}

extension CoChannel: Sequence {
  /// Receives until the channel ends, or the coroutine is cancelled; inside a coroutine.
  @inlinable public func makeIterator() -> Iterator { Iterator(channel: self) }

  public struct Iterator: IteratorProtocol {
    @usableFromInline let channel: CoChannel

    @inlinable init(channel: CoChannel) { self.channel = channel }

    /// Waits for an element. Nil once the channel is closed and drained, or cancelled, and if the coroutine is
    /// cancelled: what that suspends for next throws.
    @inlinable public mutating func next() -> Element? { try? channel.receive(at: .iteration) }
  }
}
