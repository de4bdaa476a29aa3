/// The receiving side of a channel, with elements as a function makes them.
///
/// What it receives nobody else does, as with the channel itself.
public struct CoChannelReceiver<Element>: Sendable, Sequence {
  private let receiveNext: @Sendable () throws -> Element
  private let pollNext: @Sendable () -> Element?

  init(receive: @escaping @Sendable () throws -> Element, poll: @escaping @Sendable () -> Element?) {
    receiveNext = receive
    pollNext = poll
  }

  /// As the channel's `receive`.
  public func receive() throws -> Element { try receiveNext() }

  /// As the channel's `poll`.
  public func poll() -> Element? { pollNext() }

  /// The same with another function after the one there is.
  public func map<Mapped>(_ transform: @escaping @Sendable (Element) -> Mapped) -> CoChannelReceiver<Mapped> {
    CoChannelReceiver<Mapped>(receive: { transform(try receive()) }, poll: { poll().map(transform) })
  }

  public func makeIterator() -> Iterator { Iterator(receiver: self) }

  public struct Iterator: IteratorProtocol {
    fileprivate let receiver: CoChannelReceiver

    /// As that of the channel.
    public mutating func next() -> Element? { try? receiver.receive() }
  }
}

extension CoChannel {
  /// Receives from this channel through a function, which is called by who receives, once for each element.
  public func map<Mapped>(_ transform: @escaping @Sendable (Element) -> Mapped) -> CoChannelReceiver<Mapped> {
    CoChannelReceiver(
      receive: { transform(try self.receive(at: .iteration)) }, poll: { self.poll().map(transform) })
  }
}
