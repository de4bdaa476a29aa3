import RuntimeSupport
import Synchronization

extension Publishers {
  /// Sends values and the end on a scheduler.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The scheduler that sends values and the end, one after another.
    public let scheduler: Context

    /// Creates the publisher that ``Publisher/receive(on:)`` returns.
    @inlinable public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: ReceivingInput(ReceivingSubscription(subscriber, scheduler)))
    }
  }
}

extension Publisher {
  /// Sends values and the end on a scheduler, in order. Demand limits the number of values that wait for the scheduler. One
  /// scheduled action sends all values that have arrived.
  @inlinable public func receive<S: Scheduler>(on scheduler: S) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler)
  }
}

@usableFromInline enum Delivery { case due, cancelled }

/// The subscription of a `ReceiveOn`. Signals wait in `inbox`; the first one schedules an action that sends all that wait. The
/// mailbox `deliveries` serialises that action and a cancellation, which does not wait for the scheduler.
///
/// No variable has a generic type, because destroying it would be slow: see `InlineStorage`.
///
/// `@unchecked Sendable`: `upstream` is written before the downstream sees the subscription. Only the thread that handles the
/// events of `deliveries` touches `downstream` and takes signals from `inbox`.
@usableFromInline
final class ReceivingSubscription<Downstream: Subscriber>: QuiescentSubscription, @unchecked Sendable {
  @usableFromInline enum Signal {
    case value(Downstream.Input)
    /// The last value together with the end.
    case last(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }

  @usableFromInline let inbox = LetterBox()
  /// Starts busy, so that nothing is sent before the downstream has received this subscription.
  @usableFromInline let deliveries = Mailbox<Delivery>(isBusy: true)
  @usableFromInline let quiescence = Quiescence()
  /// Set by `cancel` before `deliveries` handles the cancellation, so that values that still wait are not sent.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  /// Set by `cancel`, and when the upstream has stopped sending. The second of these two calls releases the downstream.
  @usableFromInline let isUpstreamOver = Atomic<Bool>(false)
  /// The demand of the downstream while it receives this subscription. Negative afterwards, when requests go to the upstream.
  @usableFromInline let early = Atomic<Int>(0)
  @usableFromInline let scheduler: any Scheduler
  /// Calls `deliver` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedDeliver: (ReceivingSubscription, Delivery) -> Void
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var downstream = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var holdsDownstream = true

  @inlinable init(_ downstream: consuming Downstream, _ scheduler: any Scheduler) {
    self.scheduler = scheduler
    specializedDeliver = { $0.deliver($1) }
    self.downstream.put(downstream)
  }

  deinit { if holdsDownstream || !inbox.isEmpty { specializedDeliver(self, .cancelled) } }

  /// Passes this subscription to the downstream. Returns the demand that the downstream has requested meanwhile.
  @inlinable func begin(_ subscription: consuming any Subscription) -> Subscribers.Demand {
    guard upstream == nil else {
      subscription.cancel()
      return .none
    }
    upstream = subscription
    let demand = downstream.modify(Downstream.self) { $0.receive(starting: self) }
    deliveries.leave(deliver)
    return demand + Subscribers.Demand(rawCount: early.exchange(-1, ordering: .acquiringAndReleasing))
  }

  @inlinable func arrive(_ signal: Signal) {
    if isCancelled.load(ordering: .relaxed) { return }
    inbox.post(signal)
    if inbox.knock() { schedule() }
  }

  @inlinable func schedule() { scheduler.schedule { self.deliveries.send(.due, self.deliver) } }

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    let before = early.change { $0 < 0 ? nil : (Subscribers.Demand(rawCount: $0) + demand).rawCount }
    if before == nil { upstream?.request(demand) }
  }

  @usableFromInline var waitsForDemand: Bool { upstream?.waitsForDemand == true }

  /// Cancels the upstream. When that has stopped sending, releases the downstream: on this thread if it has already stopped,
  /// else on the scheduler, because the upstream's thread may be inside a signal.
  @usableFromInline func cancel() {
    guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
    upstream?.cancel {
      if self.isUpstreamOver.exchange(true, ordering: .acquiringAndReleasing) {
        self.scheduler.schedule { self.releaseDownstream() }
      }
    }
    if isUpstreamOver.exchange(true, ordering: .acquiringAndReleasing) { releaseDownstream() }
  }

  @usableFromInline func releaseDownstream() { deliveries.send(.cancelled) { specializedDeliver(self, $0) } }

  @inlinable func deliver(_ delivery: Delivery) {
    switch delivery {
    case .due:
      if !holdsDownstream { return }
      let seen = inbox.entries.load(ordering: .acquiring)
      inbox.takeLetters(of: Signal.self, send)
      // A new action sends the signals that have arrived meanwhile, so that other actions of the scheduler run in between.
      if inbox.entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue != 0 { schedule() }
    case .cancelled:
      _ = takeDownstream()
      inbox.takeLetters(of: Signal.self) { _ in }
      quiescence.declareOver()
    }
  }

  @inlinable func send(_ signal: Signal) {
    if !holdsDownstream || isCancelled.load(ordering: .relaxed) { return }
    switch signal {
    case .value(let value):
      let more = downstream.modify(Downstream.self) { $0.receive(value) }
      if more > .none { upstream?.request(more) }
    case .last(let value):
      var subscriber = takeDownstream()
      subscriber?.receive(last: value)
      quiescence.declareOver()
    case .completion(let completion):
      var subscriber = takeDownstream()
      subscriber?.receive(completion: completion)
      quiescence.declareOver()
    }
  }

  @inlinable func takeDownstream() -> Downstream? {
    if !holdsDownstream { return nil }
    holdsDownstream = false
    return downstream.take(Downstream.self)
  }
}

@usableFromInline struct ReceivingInput<Downstream: Subscriber>: Subscriber {
  @usableFromInline let subscription: ReceivingSubscription<Downstream>

  @inlinable init(_ subscription: ReceivingSubscription<Downstream>) { self.subscription = subscription }

  @inlinable func receive(starting upstream: consuming any Subscription) -> Subscribers.Demand {
    subscription.begin(upstream)
  }
  @inlinable func receive(subscription upstream: any Subscription) {
    let demand = subscription.begin(upstream)
    if demand > .none { upstream.request(demand) }
  }
  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    subscription.arrive(.value(input))
    return .none
  }
  @inlinable func receive(last input: Downstream.Input) { subscription.arrive(.last(input)) }
  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    subscription.arrive(.completion(completion))
  }
}

extension Publishers {
  /// Subscribes to the upstream and requests values on a scheduler.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The scheduler that subscribes and passes demand to the upstream.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = RelayInput<S, Failure>.begin(subscriber) { $0.end($1) }
      scheduler.schedule { [upstream, scheduler] in
        upstream.receive(subscriber: ScheduledRequests(downstream: input, scheduler: scheduler))
      }
    }
  }

  /// Subscribes to the upstream after a delay.
  public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The delay. If it is zero or less, the upstream is subscribed to immediately.
    public let interval: Duration
    /// The scheduler that measures the delay and subscribes.
    public let scheduler: Context

    @inlinable init(upstream: Upstream, interval: Duration, scheduler: Context) {
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
  /// Subscribes to this publisher and requests values on a scheduler, so that the publisher's work runs there.
  public func subscribe<S: Scheduler>(on scheduler: S) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler)
  }

  /// Subscribes to this publisher on the scheduler after `interval`, or at once, on this thread, if `interval` is not positive.
  @inlinable public func delaySubscription<S: Scheduler>(
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
