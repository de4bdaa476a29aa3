import RuntimeSupport

/// A queue between coroutines. Each element is received once; elements are received in the order in which they were sent.
///
///     let channel = CoChannel<Int>(capacity: 1)
///     DispatchQueue.global().startCoroutine {
///       for number in 0..<3 { try channel.awaitSend(number) }
///       channel.close()
///     }
///     DispatchQueue.global().startCoroutine {
///       for number in channel.makeIterator() { print(number) }
///     }
///
/// Any number of coroutines may send and receive; those that wait are served in the order of their arrival. A coroutine that is
/// cancelled while it waits sends nothing, and the element that it would have received goes to another coroutine.
///
/// `awaitSend`, `awaitReceive` and iteration suspend, so call them inside a coroutine. Any thread may call the other methods.
public final class CoChannel<Element: Sendable>: @unchecked Sendable {
  // Invariant: `lock` guards `state` and `callbacks`. No caller's code runs under it, so elements are destroyed afterwards.
  @usableFromInline let lock = CoLock()
  @usableFromInline @exclusivity(unchecked) var state: ChannelState<Element>
  @usableFromInline @exclusivity(unchecked) var callbacks: [@Sendable () -> Void] = []

  /// Makes an open channel.
  ///
  /// - Parameter capacity: how many elements the channel buffers before senders wait. By default senders never wait; with 0 or
  ///   less, each sender waits for a receiver. Memory is allocated as needed.
  @inlinable public init(capacity: Int = .max) { state = ChannelState(capacity: capacity) }

  deinit { for callback in callbacks { callback() } }

  /// Gives an element to a waiting receiver, or buffers it. Waits while the buffer is full.
  ///
  /// - Throws: ``CoChannelError`` if the channel is closed or cancelled, or `CancellationError` if the coroutine is cancelled,
  ///   before or during the wait. In both cases the element was not sent.
  @inlinable public func awaitSend(_ element: Element) throws {
    let thread = try ChannelWaiter.checkCancellation()
    lock.lock()
    state.yielding.sendingThread = thread
    var sent = trySend(element)
    if case .full = sent, state.yielding.givesWay() { sent = trySendAfterYielding(element) }
    switch sent {
    case .sent(let wake):
      lock.unlock()
      wake?()
    case .full: try waitToSend(element)
    case .ended(let end):
      lock.unlock()
      throw end
    }
  }

  /// Takes the oldest element. Waits while there is none.
  ///
  /// - Throws: ``CoChannelError/closed`` once the channel is closed and drained, ``CoChannelError/canceled`` once it is
  ///   cancelled, or `CancellationError` if the coroutine is cancelled.
  @inlinable public func awaitReceive() throws -> Element {
    let thread = try ChannelWaiter.checkCancellation()
    lock.lock()
    state.yielding.receivingThread = thread
    var received = tryReceive()
    if case .empty = received, state.yielding.givesWay() { received = tryReceiveAfterYielding() }
    switch received {
    case .received(let element, let wake):
      lock.unlock()
      wake?()
      return element
    case .empty: return try waitToReceive()
    case .ended(let end):
      lock.unlock()
      throw end
    }
  }

  /// Sends the element if no wait is needed. Returns whether it was sent.
  @inlinable @discardableResult public func offer(_ element: Element) -> Bool {
    lock.lock()
    let sent = trySend(element)
    lock.unlock()
    guard case .sent(let wake) = sent else { return false }
    wake?()
    return true
  }

  /// Takes the oldest element. Returns `nil` if there is none.
  @inlinable public func poll() -> Element? {
    lock.lock()
    let received = tryReceive()
    lock.unlock()
    guard case .received(let element, let wake) = received else { return nil }
    wake?()
    return element
  }

  /// Ends sending. Buffered elements can still be received. Waiting senders throw ``CoChannelError/closed``, and so do
  /// receivers once the buffer is empty. Returns false, and does nothing, if the channel has already ended.
  @discardableResult public func close() -> Bool { end { state.close() ? claimAll(end: .closed) : nil } }

  /// Ends the channel and drops the buffered elements. Waiting calls, and later ones, throw ``CoChannelError/canceled``.
  public func cancel() {
    var dropped = RingBuffer<Element>()
    end { state.cancel(dropping: &dropped) ? claimAll(end: .canceled) : nil }
  }

  @discardableResult private func end(_ claim: () -> ReadyFibers?) -> Bool {
    lock.lock()
    let waiting = claim()
    let callbacks = callbacks
    if waiting != nil { self.callbacks = [] }
    lock.unlock()
    guard let waiting else { return false }
    waiting.makeReady()
    for callback in callbacks { callback() }
    return true
  }

  /// Calls back when the channel is closed, cancelled or released. Calls back immediately if it has already ended.
  public func whenComplete(_ callback: sending @escaping () -> Void) {
    // Invariant: `callback` is called only once.
    nonisolated(unsafe) let callback = callback
    let hasEnded = lock.withLock {
      if state.end == nil { callbacks.append { callback() } }
      return state.end != nil
    }
    if hasEnded { callback() }
  }

  /// Whether the channel accepts no more elements.
  public var isClosed: Bool { lock.withLock { state.end != nil } }

  /// Whether the channel was cancelled.
  public var isCanceled: Bool { lock.withLock { state.end == .canceled } }

  /// The number of buffered elements at this moment.
  public var count: Int { lock.withLock { state.buffer.count } }
}

/// Why a channel sends or receives nothing more.
public enum CoChannelError: Error, Sendable, Hashable {
  /// The channel was closed, and its buffered elements have been received.
  case closed
  /// The channel was cancelled, and its buffered elements were dropped.
  case canceled
}

extension CoChannel: Sequence {
  /// Makes an iterator that receives until the channel has ended. Iterate inside a coroutine.
  @inlinable public func makeIterator() -> Iterator { Iterator(elements: makeThrowingIterator()) }

  /// Makes an iterator that throws if the channel or the coroutine is cancelled. A `for` loop would only end.
  ///
  ///     var elements = channel.makeThrowingIterator()
  ///     while let element = try elements.next() { … }
  @inlinable public func makeThrowingIterator() -> ThrowingIterator { ThrowingIterator(channel: self) }

  /// An iterator that receives from a channel.
  public struct Iterator: IteratorProtocol, Sequence {
    @usableFromInline var elements: ThrowingIterator

    @inlinable init(elements: ThrowingIterator) { self.elements = elements }

    /// Waits for an element. Returns `nil` once the channel is closed and drained, and also once the channel or the coroutine
    /// is cancelled, so that a plain `for` ends in each case. To distinguish the cases, use ``CoChannel/awaitReceive()`` or
    /// ``CoChannel/makeThrowingIterator()``. Outside of a coroutine it ends the process with a message.
    @inlinable public mutating func next() -> Element? {
      do { return try elements.next() } catch {
        if case CoroutineError.calledOutsideCoroutine = error {
          fatalError(
            "a channel was iterated outside of a coroutine: iterate in the closure of Coroutine.start")
        }
        return nil
      }
    }
  }

  /// An iterator that receives from a channel, and throws if the channel is cancelled.
  public struct ThrowingIterator {
    @usableFromInline let channel: CoChannel

    @inlinable init(channel: CoChannel) { self.channel = channel }

    /// Waits for an element. Returns `nil` once the channel is closed and drained.
    ///
    /// - Throws: ``CoChannelError/canceled`` once the channel is cancelled, or `CancellationError` if the coroutine is.
    @inlinable public mutating func next() throws -> Element? {
      do { return try channel.awaitReceive() } catch CoChannelError.closed { return nil }
    }
  }
}
