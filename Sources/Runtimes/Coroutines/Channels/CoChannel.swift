import RuntimeSupport

/// A queue between coroutines: each element that is sent is received once, in the order in which it was sent.
///
/// Any number of coroutines may send and receive; those who wait are served in the order in which they came. One that is
/// cancelled while it waits sends nothing, and what it would have received goes to another.
///
/// `send`, `receive` and iteration suspend, so they belong inside a coroutine; the others may be called from any thread.
public final class CoChannel<Element: Sendable>: @unchecked Sendable {
  // Invariant: `state` is touched under `lock`, which is never held while anything unknown runs: elements are destroyed
  // outside.
  @usableFromInline let lock = CoLock()
  @usableFromInline @exclusivity(unchecked) var state: ChannelState<Element>
  /// What it is in the lifetimes that it was added to. Under `lock`.
  @usableFromInline @exclusivity(unchecked) var memberships: [AnyObject] = []

  /// Makes an open channel.
  @inlinable public init(_ buffering: CoChannelBuffering = .rendezvous) { state = ChannelState(buffering) }

  /// Hands over an element, or leaves it in the buffer; waits while that is full.
  ///
  /// - Throws: `CoChannelError`, or the cause, if the channel is closed or cancelled, before or meanwhile, and
  ///   `CancellationError` if the coroutine is. The element was not sent then.
  @inlinable public func send(
    _ element: Element, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let thread = try ChannelTicket.checkCancellation()
    lock.lock()
    state.yielding.sendingThread = thread
    var sent = trySend(element)
    if case .full = sent, state.yielding.givesWay() { sent = trySendAfterYielding(element) }
    switch sent {
    case .sent(let leftover): unlock(leftover)
    case .full: try waitToSend(element, at: AwaitSite("room in a channel", file, line))
    case .ended(let end):
      lock.unlock()
      throw failure(after: end)
    }
  }

  /// Takes the oldest element; waits while there is none.
  ///
  /// - Throws: `CoChannelError`, or the cause, once the channel is closed and drained, or cancelled, and
  ///   `CancellationError` if the coroutine is cancelled.
  @inlinable public func receive(file: StaticString = #fileID, line: UInt = #line) throws -> Element {
    try receive(at: AwaitSite("an element of a channel", file, line))
  }

  @inlinable func receive(at site: AwaitSite) throws -> Element {
    let thread = try ChannelTicket.checkCancellation()
    lock.lock()
    state.yielding.receivingThread = thread
    var received = tryReceive()
    if case .empty = received, state.yielding.givesWay() { received = tryReceiveAfterYielding() }
    switch received {
    case .received(let element, let wake):
      lock.unlock()
      wake?()
      return element
    case .empty: return try waitToReceive(at: site)
    case .ended(let end):
      lock.unlock()
      throw failure(after: end)
    }
  }

  /// Sends the element if that needs no waiting. Returns whether it did.
  @inlinable @discardableResult public func offer(_ element: Element) -> Bool {
    lock.lock()
    switch trySend(element) {
    case .sent(let leftover):
      unlock(leftover)
      return true
    case .full, .ended:
      lock.unlock()
      return false
    }
  }

  /// Takes the oldest element, if there is one.
  @inlinable public func poll() -> Element? {
    lock.lock()
    switch tryReceive() {
    case .received(let element, let wake):
      lock.unlock()
      wake?()
      return element
    case .empty, .ended:
      lock.unlock()
      return nil
    }
  }

  /// Takes no more elements. What is buffered can still be received; senders that wait throw `CoChannelError.closed`, as
  /// do receivers once nothing is left. Does nothing the second time.
  public func close() { close(nil) }

  /// The same with a reason, which senders and receivers throw in place of `CoChannelError.closed`. Loops end as always:
  /// what is received after one throws it.
  public func close(cause: any Error) { close(cause) }

  private func close(_ cause: (any Error)?) {
    let waiting = lock.withLock { state.close(cause) ? claimAll(end: .closed) : nil }
    waiting?.makeReady()
  }

  /// What is thrown because the channel has ended; not under the lock.
  @usableFromInline func failure(after end: CoChannelError) -> any Error {
    end == .closed ? lock.withLock { state.cause } ?? end : end
  }

  /// Drops what is buffered; everybody throws `CoChannelError.cancelled` from here on, those who wait too.
  public func cancel() {
    var dropped = RingBuffer<Element>()
    let waiting = lock.withLock { state.cancel(dropping: &dropped) ? claimAll(end: .cancelled) : nil }
    waiting?.makeReady()
  }

  /// Whether it takes no more elements.
  public var isClosed: Bool { lock.withLock { state.end != nil } }

  /// How many elements are buffered at the moment.
  public var count: Int { lock.withLock { state.buffer.count } }
}

/// What a channel does with elements that nobody waits for.
public enum CoChannelBuffering: Sendable, Hashable {
  /// Nothing: each sender waits for a receiver.
  case rendezvous
  /// Keeps so many; then senders wait. Memory is allocated as it is needed. With 0 it is a rendezvous.
  case bounded(Int)
  /// Keeps the newest; senders never wait.
  case conflated
  /// Keeps all of them; senders never wait.
  case unlimited
}

/// Why a channel takes or gives nothing more.
public enum CoChannelError: Error, Sendable, Hashable {
  /// It was closed, and what it had buffered has been received.
  case closed
  /// It was cancelled, and what it had buffered was dropped.
  case cancelled
}

extension AwaitSite {
  /// Where a loop stands in the source its iterator is not told.
  @usableFromInline static var iteration: AwaitSite {
    AwaitSite(subject: ("an element of a channel" as StaticString).utf8Start, file: nil, line: 0)
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

/// The receiving side of a channel, with elements as a function makes them: what it receives nobody else does.
public struct CoChannelReceiver<Element>: Sendable, Sequence, IteratorProtocol {
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

  /// As that of the channel's iterator.
  public func next() -> Element? { try? receive() }
}

extension CoChannel {
  /// Receives from this channel through a function, which is called by who receives, once for each element.
  public func map<Mapped>(_ transform: @escaping @Sendable (Element) -> Mapped) -> CoChannelReceiver<Mapped> {
    CoChannelReceiver(
      receive: { transform(try self.receive(at: .iteration)) }, poll: { self.poll().map(transform) })
  }
}
