extension Publishers {
  /// Publishes the elements of a sequence, to each subscriber from the start.
  ///
  /// Elements are sent on the thread whose `request` woke the stream. One is read ahead: an iterator that blocks holds
  /// back the element before, and one that traps beyond its last, as of `(250 as UInt8)...`, must not be read up to it.
  public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element

    /// Iterated anew for each subscriber.
    public let elements: Elements

    /// `publisher` of a sequence makes it, one that cannot fail.
    @inlinable public init(_ elements: Elements) { self.elements = elements }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSubscription(elements.makeIterator(), subscriber).begin()
    }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(self) }
}

/// `@unchecked Sendable`: the three variables belong to the gate's emitter.
@usableFromInline
final class SequenceSubscription<Iterator: IteratorProtocol, Downstream: Subscriber>: QuiescentSubscription,
  @unchecked Sendable
where Iterator.Element == Downstream.Input {
  @usableFromInline let gate = DemandGate()
  @usableFromInline let quiescence = Quiescence()
  /// `emit`, compiled for the types known where the stream was made: `request` may be reached without them.
  @usableFromInline let specializedEmit: (SequenceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var iterator: Iterator?
  @usableFromInline @exclusivity(unchecked) var upcoming: Iterator.Element?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable
  init(_ iterator: Iterator, _ downstream: Downstream) {
    self.iterator = iterator
    self.downstream = downstream
    specializedEmit = { $0.emit() }
  }

  @inlinable
  func begin() {
    guard var subscriber = downstream.take() else { return }
    upcoming = iterator?.next()
    subscriber.receive(subscription: self)
    if upcoming == nil {
      if gate.finish() { subscriber.receive(completion: .finished) }
      drop()
    } else {
      downstream = subscriber
      emit()
    }
  }

  @inlinable func request(_ demand: Subscribers.Demand) { if gate.request(demand) { specializedEmit(self) } }

  @inlinable var waitsForDemand: Bool { true }

  @inlinable func cancel() { if gate.cancel() { drop() } }

  /// Lets go of both sides: whoever holds the subscription holds no elements.
  @inlinable
  func drop() {
    downstream = nil
    upcoming = nil
    iterator = nil
    quiescence.declareOver()
  }

  /// Sends what was asked for. The caller is the emitter.
  @inlinable
  func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed: return drop()
      case .demand(let demand): if send(Subscribers.Demand(rawCount: demand)) { return drop() }
      }
    }
  }

  /// Sends up to `demand` elements; true when the stream is over. Works on locals, which registers can hold.
  @inlinable
  func send(_ demand: Subscribers.Demand) -> Bool {
    guard var subscriber = downstream.take(), var current = upcoming.take(), var iterator = iterator.take()
    else { return true }
    var demand = demand
    while let following = iterator.next() {
      demand -= .max(1)
      demand += subscriber.receive(current)
      current = following
      if gate.isClosed { return true }
      if demand == .none {
        upcoming = current
        self.iterator = iterator
        downstream = subscriber
        return false
      }
    }
    if gate.finish() { subscriber.receive(last: current) }
    return true
  }
}
