extension Publishers {
  /// Publishes the elements of a sequence, to each subscriber from the start.
  ///
  /// Elements are sent on the requesting thread. One is read ahead: an iterator that blocks holds back the element before, and
  /// one that traps beyond its last, as of `(250 as UInt8)...`, must not be read up to it.
  public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element

    /// Iterated anew for each subscriber.
    public let elements: Elements

    /// Made by `publisher` of a sequence; it cannot fail.
    @inlinable public init(_ elements: Elements) { self.elements = elements }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSubscription().begin(elements.makeIterator(), subscriber)
    }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(self) }
}

/// `@unchecked Sendable`: `rest` belongs to the gate's emitter.
@usableFromInline
final class SequenceSubscription<Iterator: IteratorProtocol, Downstream: Subscriber>: QuiescentSubscription,
  @unchecked Sendable
where Iterator.Element == Downstream.Input {
  /// The rest to send, and the subscriber. One variable: a generic class destroys each through a look-up of its metadata.
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
  /// `emit`, specialised where the stream was made: `request` may be reached without the types.
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

  /// Releases both sides: a subscription that is kept holds no elements.
  @inlinable func drop() {
    rest = nil
    quiescence.declareOver()
  }

  /// Sends the requested elements. The caller is the emitter.
  @inlinable func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed: return drop()
      case .demand(let demand):
        // The rest has been taken out by then.
        if send(Subscribers.Demand(rawCount: demand)) { return quiescence.declareOver() }
      }
    }
  }

  /// Sends up to `demand` elements; true when the stream is over. Works on locals, which registers can hold.
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
  /// Publishes the values that a source returns, one call for each requested value, until it returns nil.
  ///
  /// Each subscriber's source is opened and called on demand, on the requesting thread.
  public struct Generate<Source: Sendable, Output: Sendable>: Publisher {
    public typealias Failure = any Error

    /// Called at most once per subscriber, with its first demand.
    public let open: @Sendable () throws -> Source
    /// The next value, or nil for the end; called once for each requested value.
    public let next: @Sendable (Source) throws -> Output?

    /// An error of one of the two is the failure.
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

/// `@unchecked Sendable`: the variables belong to the gate's emitter.
@usableFromInline
final class GenerateSubscription<Downstream: Subscriber>: QuiescentSubscription, @unchecked Sendable
where Downstream.Failure == any Error {
  @usableFromInline typealias Next = () throws -> Downstream.Input?

  @usableFromInline let gate = DemandGate()
  @usableFromInline let quiescence = Quiescence()
  /// `emit`, specialised where the stream was made: `request` may be reached without the types.
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

  /// Sends the requested values. The caller is the emitter.
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

  /// Sends the requested values, unless it is cancelled. Returns the end once it has come.
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
