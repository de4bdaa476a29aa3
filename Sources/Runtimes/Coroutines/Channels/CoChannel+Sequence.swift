extension CoChannel: Sequence {
  /// Receives until the channel ends, or the coroutine is cancelled; inside a coroutine.
  @inlinable public func makeIterator() -> Iterator { Iterator(channel: self) }

  public struct Iterator: IteratorProtocol {
    @usableFromInline let channel: CoChannel

    @inlinable init(channel: CoChannel) { self.channel = channel }

    /// Waits for an element. Nil once the channel is closed and drained, or cancelled, and if the coroutine is
    /// cancelled: what that suspends for next throws.
    @inlinable public mutating func next() -> Element? { try? channel.receive() }
  }
}
