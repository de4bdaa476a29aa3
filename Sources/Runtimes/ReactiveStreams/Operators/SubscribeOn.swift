extension Publishers {
  /// Subscribes to the upstream, and asks it for values, from a scheduler.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// Subscribes, and passes each demand on.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = RelayInput<S, Failure>.begin(subscriber) { $0.end($1) }
      scheduler.schedule { [upstream, scheduler] in
        upstream.receive(subscriber: ScheduledRequests(downstream: input, scheduler: scheduler))
      }
    }
  }

  /// Subscribes to the upstream later.
  public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// How much later; at zero or less it is subscribed to at once.
    public let interval: Duration
    /// Tells the time, and subscribes.
    public let scheduler: Context

    @inlinable
    init(upstream: Upstream, interval: Duration, scheduler: Context) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if interval > .zero {
        subscribeLater(subscriber)
      } else {
        upstream.receive(subscriber: subscriber)
      }
    }

    @usableFromInline
    func subscribeLater<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = RelayInput<S, Failure>.begin(subscriber) { $0.end($1) }
      input.relay.pause(for: interval, on: scheduler) { [upstream] in upstream.receive(subscriber: input) }
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher, and asks it for values, from a scheduler: where its work is to be done.
  public func subscribe<S: Scheduler>(on scheduler: S) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler)
  }

  /// Subscribes to this publisher later by `interval`, on the scheduler; here and now if that is not positive.
  @inlinable
  public func delaySubscription<S: Scheduler>(
    for interval: Duration, scheduler: S
  ) -> Publishers.DelaySubscription<Self, S> {
    Publishers.DelaySubscription(upstream: self, interval: interval, scheduler: scheduler)
  }
}

private struct ScheduledRequests<Downstream: Subscriber>: ForwardingSubscriber {
  var downstream: Downstream
  let scheduler: any Scheduler

  mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: RequestsOn(subscription, scheduler))
  }
}

private final class RequestsOn: Subscription {
  private let upstream: any Subscription
  private let scheduler: any Scheduler

  init(_ upstream: any Subscription, _ scheduler: any Scheduler) {
    self.upstream = upstream
    self.scheduler = scheduler
  }

  func request(_ demand: Subscribers.Demand) { scheduler.schedule { [upstream] in upstream.request(demand) } }
  var waitsForDemand: Bool { upstream.waitsForDemand }
  func cancel() { upstream.cancel() }
  func cancel(then action: @escaping @Sendable () -> Void) { upstream.cancel(then: action) }
}
