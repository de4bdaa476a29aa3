import ReactiveStreams
import Synchronization

extension Publishers {
  /// Publishes values, and those of the publishers that follow from them, and from these, and so on.
  public struct Expand<Upstream: Publisher>: Operator {
    /// What follows from a value: a publisher, or nothing.
    public typealias Next = @Sendable (Output) -> AnyPublisher<Output, Failure>?

    /// Its values come first. It is subscribed to anew for each subscriber.
    public let upstream: Upstream
    /// How many publishers there are at once at most, the upstream among them.
    public let maxPublishers: Subscribers.Demand
    /// Called once for each value, on the thread that sends it, before the subscriber gets it.
    public let next: Next

    /// `expand(maxPublishers:_:)` makes it.
    public init(upstream: Upstream, maxPublishers: Subscribers.Demand, next: @escaping Next) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.next = next
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let expansion = Expansion<Output, Failure>()
      expansion.sources.flatMap(maxPublishers: maxPublishers) { source in
        source.handleEvents(
          receiveOutput: { _ in expansion.retain() },
          receiveCompletion: { if case .finished = $0 { expansion.release() } })
      }
      .map { [next] value in
        if let source = next(value) { expansion.sources.send(source) } else { expansion.release() }
        return value
      }
      .receive(subscriber: subscriber)
      expansion.sources.send(upstream.eraseToAnyPublisher())
    }
  }
}

/// The publishers that are to be subscribed to, never inside each other. `unfinished` counts those that have not ended
/// and values of which it is not known yet whether a publisher follows, which is counted in its value's place.
private final class Expansion<Output: Sendable, Failure: Error>: Sendable {
  let sources = BufferedSubject<AnyPublisher<Output, Failure>, Failure>(size: .max, whenFull: .dropNewest)
  private let unfinished = Atomic<Int>(1)

  func retain() { unfinished.add(1, ordering: .relaxed) }

  func release() {
    if unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      sources.send(completion: .finished)
    }
  }
}

extension Publisher {
  /// Publishes the values of this publisher, then of those that follow from them, and from these, and so on, until
  /// nothing follows: pages, each of which says where the next one is, or the folders within folders.
  ///
  /// Every publisher is subscribed to when the call that made it has returned, so any number takes constant stack, and
  /// each value is passed on once. A publisher's values come before those that follow from them; with one publisher at
  /// a time, all come in the order of the publishers. Those that are not subscribed to yet are kept, however many.
  public func expand(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ next: @escaping @Sendable (Output) -> AnyPublisher<Output, Failure>?
  ) -> Publishers.Expand<Self> {
    Publishers.Expand(upstream: self, maxPublishers: maxPublishers, next: next)
  }
}
