extension Publishers {
  /// Subscribes to its upstream once, for all its subscribers.
  public final class Share<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// Subscribed to once for all, with the first subscriber.
    public let upstream: Upstream
    private let hub: ShareHub<Upstream>

    /// ``Publisher/share()`` makes it. It is a class: subscribers share what they are given the same instance of.
    public init(upstream: Upstream) {
      self.upstream = upstream
      hub = ShareHub(upstream)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      hub.attach(ShareMember(AnySubscriber(subscriber), hub))
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher once, with the first subscriber, for all that come; the last that leaves
  /// cancels.
  ///
  /// All get the same values in the same order, from when they came. The slowest sets the pace: this publisher is
  /// asked for what every subscriber has asked for, 64 values ahead at most, so one that asks for nothing holds up
  /// the others; a `buffer` behind the share lets it fall back. After the end, or when all have left, the next
  /// subscriber starts anew.
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}
