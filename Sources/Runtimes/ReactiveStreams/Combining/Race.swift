extension Publishers {
  /// Publishes what the first of several publishers to send anything sends; the others are cancelled.
  public struct Race<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// Subscribed to in this order until one has won; of none, it finishes at once.
    public let upstreams: [Upstream]
    /// Whether only a value wins: an end does not, until it is the last.
    public let needsValue: Bool
    /// What the failure is made of when all have failed, in their order; nil: it is that of the last.
    @usableFromInline let combineFailures: (@Sendable ([Failure]) -> Failure)?

    @inlinable
    init(
      upstreams: [Upstream], needsValue: Bool, combineFailures: (@Sendable ([Failure]) -> Failure)? = nil
    ) {
      self.upstreams = upstreams
      self.needsValue = needsValue
      self.combineFailures = combineFailures
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      guard !upstreams.isEmpty else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
      let race = RaceSubscription(
        count: upstreams.count, needsValue: needsValue, combineFailures: combineFailures)
      var subscriber = subscriber
      race.begin(&subscriber)
      for (index, upstream) in upstreams.enumerated() { race.start(upstream, at: index, for: subscriber) }
    }
  }

  /// Publishes what the first of two publishers to send anything sends; the other is cancelled.
  public struct RacePair<First: Publisher, Second: Publisher>: Publisher
  where First.Output == Second.Output, First.Failure == Second.Failure {
    public typealias Output = First.Output
    public typealias Failure = First.Failure

    /// Subscribed to first; if it wins at once, the other is not subscribed to.
    public let first: First
    /// Subscribed to second.
    public let second: Second
    /// Whether only a value wins: an end does not, until it is the last.
    public let needsValue: Bool
    /// What the failure is made of when both have failed; nil: it is that of the last.
    @usableFromInline let combineFailures: (@Sendable ([Failure]) -> Failure)?

    @inlinable
    init(
      _ first: First, _ second: Second, needsValue: Bool,
      combineFailures: (@Sendable ([Failure]) -> Failure)? = nil
    ) {
      self.first = first
      self.second = second
      self.needsValue = needsValue
      self.combineFailures = combineFailures
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let race = RaceSubscription(count: 2, needsValue: needsValue, combineFailures: combineFailures)
      var subscriber = subscriber
      race.begin(&subscriber)
      race.start(first, at: 0, for: subscriber)
      race.start(second, at: 1, for: subscriber)
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes what the first of these publishers to send a value or an end sends, and cancels the others.
  ///
  /// All are asked for what the downstream asks for until one has won; none is subscribed to after that.
  @inlinable
  public func race() -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), needsValue: false)
  }

  /// Publishes what the first of these publishers to send a value sends, and cancels the others.
  ///
  /// One that fails or finishes without a value is out; when all are out, the end is that of the last, or if all have
  /// failed, what `combineFailures` makes of the failures, in the order of the publishers.
  @inlinable
  public func any(
    combineFailures: (@Sendable ([Element.Failure]) -> Element.Failure)? = nil
  ) -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), needsValue: true, combineFailures: combineFailures)
  }
}

extension Publisher {
  /// Publishes what this publisher or another sends, whichever sends first.
  @inlinable
  public func race<P: Publisher>(with other: P) -> Publishers.RacePair<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.RacePair(self, other, needsValue: false)
  }

  /// Publishes what this publisher or another sends, whichever sends a value first; if both fail, what
  /// `combineFailures` makes of this one's failure and the other's.
  @inlinable
  public func any<P: Publisher>(
    with other: P, combineFailures: @escaping @Sendable (Failure, Failure) -> Failure
  ) -> Publishers.RacePair<Self, P> where P.Output == Output, P.Failure == Failure {
    Publishers.RacePair(self, other, needsValue: true) { combineFailures($0[0], $0[1]) }
  }
}
