extension Publishers {
  /// Publishes the elements of a sequence. Each subscriber receives them from the first element on.
  ///
  /// Elements are sent on the requesting thread, and one element is read ahead. So an iterator that blocks delays the previous
  /// element, and the last element before a trap, such as 255 in `(250 as UInt8)...`, is not published.
  public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element

    /// The sequence. Each subscriber gets a new iterator.
    public let elements: Elements

    /// Creates the publisher that the `publisher` property of a sequence returns.
    @inlinable public init(_ elements: Elements) { self.elements = elements }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSubscription().begin(elements.makeIterator(), subscriber)
    }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements of this sequence.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(self) }
}

/// Sends a sequence's elements. `@unchecked Sendable`: only the one thread that `gate` allows to send touches `rest`.
@usableFromInline
final class SequenceSubscription<Iterator: IteratorProtocol, Downstream: Subscriber>: QuiescentSubscription,
  @unchecked Sendable
where Iterator.Element == Downstream.Input {
  /// The unsent elements and the subscriber. One struct, because a generic class looks up metadata to destroy each variable.
  @usableFromInline struct Rest {
    @usableFromInline var iterator: Iterator
    @usableFromInline var upcoming: Iterator.Element
    @usableFromInline var downstream: Downstream

    @inlinable init(iterator: Iterator, upcoming: Iterator.Element, downstream: Downstream) {
      self.iterator = iterator
      self.upcoming = upcoming
      self.downstream = downstream
    }
  }

  @usableFromInline let gate = DemandGate()
  @usableFromInline let quiescence = Quiescence()
  /// Calls `emit` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedEmit: (SequenceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var rest: Rest?

  @inlinable init() { specializedEmit = { $0.emit() } }

  @inlinable func begin(_ elements: Iterator, _ downstream: Downstream) {
    var (iterator, subscriber) = (elements, downstream)
    let first = iterator.next()
    subscriber.receive(subscription: self)
    if let first {
      rest = Rest(iterator: iterator, upcoming: first, downstream: subscriber)
      emit()
    } else {
      if gate.finish() { subscriber.receive(completion: .finished) }
      quiescence.declareOver()
    }
  }

  @inlinable func request(_ demand: Subscribers.Demand) { if gate.request(demand) { specializedEmit(self) } }

  @inlinable var waitsForDemand: Bool { true }

  @inlinable func cancel() { if gate.cancel() { drop() } }

  /// Releases the elements and the subscriber, even if the subscription itself is still retained.
  @inlinable func drop() {
    rest = nil
    quiescence.declareOver()
  }

  /// Sends as long as there is demand. Only the one thread that `gate` allows to send calls this.
  @inlinable func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed: return drop()
      case .demand(let demand):
        // The stream has ended, so `send` has already released the elements and the subscriber.
        if send(Subscribers.Demand(rawCount: demand)) { return quiescence.declareOver() }
      }
    }
  }

  /// Sends up to `demand` elements from local variables, which fit into registers. Returns true if the stream has ended.
  @inlinable func send(_ demand: Subscribers.Demand) -> Bool {
    guard let rest = rest.take() else { return true }
    var (iterator, current, subscriber) = (rest.iterator, rest.upcoming, rest.downstream)
    var demand = demand
    while let following = iterator.next() {
      demand -= .max(1)
      demand += subscriber.receive(current)
      current = following
      if gate.isClosed { return true }
      if demand == .none {
        self.rest = Rest(iterator: iterator, upcoming: current, downstream: subscriber)
        return false
      }
    }
    if gate.finish() { subscriber.receive(last: current) }
    return true
  }
}

extension Publishers {
  /// Publishes the values that a source returns, with one call for each requested value, until the source returns `nil`.
  ///
  /// A source is opened for each subscriber, on its first demand. All calls are made on the requesting thread.
  public struct Generate<Source: Sendable, Output: Sendable>: Publisher {
    public typealias Failure = any Error

    /// Opens a source. Called at most once per subscriber, on its first demand.
    public let open: @Sendable () throws -> Source
    /// Returns the next value, or `nil` at the end. Called once for each requested value.
    public let next: @Sendable (Source) throws -> Output?

    /// Creates a publisher. An error of `open` or `next` becomes the failure.
    @inlinable public init(
      from open: @escaping @Sendable () throws -> Source, next: @escaping @Sendable (Source) throws -> Output?
    ) {
      self.open = open
      self.next = next
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      var source: Source?
      GenerateSubscription(subscriber) { [open, next] in
        let opened = try source ?? open()
        source = opened
        return try next(opened)
      }.begin()
    }
  }
}

/// Sends a source's values. `@unchecked Sendable`: only the one thread that `gate` allows to send touches the variables.
@usableFromInline
final class GenerateSubscription<Downstream: Subscriber>: QuiescentSubscription, @unchecked Sendable
where Downstream.Failure == any Error {
  @usableFromInline typealias Next = () throws -> Downstream.Input?

  @usableFromInline let gate = DemandGate()
  @usableFromInline let quiescence = Quiescence()
  /// Calls `emit` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedEmit: (GenerateSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var next: Next?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable init(_ downstream: Downstream, next: @escaping Next) {
    self.next = next
    self.downstream = downstream
    specializedEmit = { $0.emit() }
  }

  @inlinable func begin() {
    downstream?.receive(subscription: self)
    emit()
  }

  @inlinable func request(_ demand: Subscribers.Demand) { if gate.request(demand) { specializedEmit(self) } }

  @inlinable var waitsForDemand: Bool { true }

  @inlinable func cancel() { if gate.cancel() { drop() } }

  /// Sends as long as there is demand. Only the one thread that `gate` allows to send calls this.
  @inlinable func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed: return drop()
      case .demand(let count):
        guard let end = send(Subscribers.Demand(rawCount: count)) else { continue }
        var subscriber = downstream.take()
        if gate.finish() { subscriber?.receive(completion: end) }
        return drop()
      }
    }
  }

  /// Sends the requested values, unless the stream is cancelled. Returns the end if the source has ended or failed.
  @inlinable func send(_ asked: Subscribers.Demand) -> Subscribers.Completion<any Error>? {
    var demand = asked
    while demand > .none, !gate.isClosed {
      do {
        guard let value = try next?() else { return .finished }
        demand -= .max(1)
        if let more = downstream?.receive(value) { demand += more }
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  @inlinable func drop() {
    downstream = nil
    next = nil
    quiescence.declareOver()
  }
}
