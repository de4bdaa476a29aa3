extension Publishers {
  /// Publishes the elements of a sequence, to each subscriber from the start.
  ///
  /// Elements are sent on the thread whose `request` woke the stream. One element is read ahead, so that the
  /// last one and the end come together.
  public struct Sequence<Elements: Swift.Sequence & Sendable, Failure: Error>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element

    public let elements: Elements

    @inlinable public init(_ elements: Elements) { self.elements = elements }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SequenceSubscription(elements.makeIterator(), subscriber).begin()
    }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements.
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(self) }
}

/// `@unchecked Sendable`: the three variables belong to the gate's emitter.
@usableFromInline
final class SequenceSubscription<Iterator: IteratorProtocol, Downstream: Subscriber>: Subscription,
  @unchecked Sendable
where Iterator.Element == Downstream.Input {
  @usableFromInline let gate = DemandGate()
  @usableFromInline @exclusivity(unchecked) var iterator: Iterator
  @usableFromInline @exclusivity(unchecked) var upcoming: Iterator.Element?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable
  init(_ iterator: Iterator, _ downstream: Downstream) {
    self.iterator = iterator
    self.downstream = downstream
  }

  @inlinable
  func begin() {
    guard var subscriber = downstream.take() else { return }
    upcoming = iterator.next()
    subscriber.receive(subscription: self)
    if upcoming == nil {
      if gate.finish() { subscriber.receive(completion: .finished) }
    } else {
      downstream = subscriber
      emit()
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    if gate.request(demand) { emit() }
  }

  @inlinable
  func cancel() {
    if gate.cancel() { downstream = nil }
  }

  /// Sends what was asked for. The caller is the emitter.
  @inlinable
  func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed:
        downstream = nil
        return
      case .demand(let demand):
        if send(Subscribers.Demand(rawCount: demand)) { return }
      }
    }
  }

  /// Sends up to `demand` elements; true when the stream is over. Works on locals, which registers can hold.
  @inlinable
  func send(_ demand: Subscribers.Demand) -> Bool {
    guard var subscriber = downstream.take(), var current = upcoming.take() else { return true }
    var demand = demand
    while let following = iterator.next() {
      demand -= .max(1)
      demand += subscriber.receive(current)
      current = following
      if gate.isClosed { return true }
      if demand == .none {
        upcoming = current
        downstream = subscriber
        return false
      }
    }
    if gate.finish() { subscriber.receive(last: current) }
    return true
  }
}
