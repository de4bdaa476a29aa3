import Synchronization

extension Publishers {
  /// Sends values and the end from a scheduler, each after a delay.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// How much later each is sent.
    public let interval: Duration
    /// Tells the time, and sends values and the end.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: DelayedInput(subscription: DelayedSubscription(subscriber, scheduler, interval)))
    }
  }
}

extension Publisher {
  /// Sends values and a successful end later by `interval`; a failure too, so that order is kept.
  public func delay<S: Scheduler>(for interval: Duration, scheduler: S) -> Publishers.Delay<Self, S> {
    Publishers.Delay(upstream: self, interval: interval, scheduler: scheduler)
  }
}

/// What arrives is taken in on any thread, what is due is sent on the scheduler's: each has a mailbox of its own, as
/// whoever finds a mailbox free does the work of those who come meanwhile.
///
/// `@unchecked Sendable`: `upstream` is written before the downstream sees the subscription; `timers` and `arrivalCount`
/// belong to the handler of `arrivals`, `downstream` to that of `deliveries`.
private final class DelayedSubscription<Downstream: Subscriber>: ScheduledSubscription, @unchecked Sendable {
  enum Signal: Sendable {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }
  enum Arrival {
    case signal(Signal)
    case fired(timer: Int)
    case cancelled
  }
  enum Delivery { case due, cancelled }

  private let arrivals = Mailbox<Arrival>()
  /// Busy until the subscription has been handed out.
  private let deliveries = Mailbox<Delivery>(isBusy: true)
  let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that values ahead of it are not sent.
  private let isCancelled = Atomic<Bool>(false)
  let isUpstreamOver = Atomic<Bool>(false)
  /// What was asked for before the subscription has been handed out; `nil` afterwards.
  private let early = Mutex<Subscribers.Demand?>(Subscribers.Demand.none)
  private let signals = Mutex(Queue<Signal>())
  let scheduler: any Scheduler
  private let delay: Duration
  private(set) var upstream: (any Subscription)?
  private var downstream: Downstream?
  /// Keyed by the number of their signal, because a scheduler with several threads fires them in any order.
  private var timers: [Int: AnyCancellable] = [:]
  private var arrivalCount = 0

  init(_ downstream: Downstream, _ scheduler: any Scheduler, _ delay: Duration) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.delay = delay
  }

  func begin(_ subscription: any Subscription) {
    guard upstream == nil else { return subscription.cancel() }
    upstream = subscription
    downstream?.receive(subscription: self)
    deliveries.leave(deliver)
    // Nothing is due before, so this thread is not the one that sends it.
    if let demand = early.withLock({ $0.take() }), demand > .none { subscription.request(demand) }
  }

  func arrive(_ signal: Signal) { arrivals.send(.signal(signal), takeIn) }

  func request(_ demand: Subscribers.Demand) {
    let isEarly = early.withLock {
      $0? += demand
      return $0 != nil
    }
    if !isEarly { upstream?.request(demand) }
  }

  var waitsForDemand: Bool { upstream?.waitsForDemand == true }

  func cancel() {
    guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
    arrivals.send(.cancelled, takeIn)
    cancelUpstream()
  }

  func letGo() { deliveries.send(.cancelled, deliver) }

  private func takeIn(_ arrival: Arrival) {
    switch arrival {
    case .signal(let signal):
      if isCancelled.load(ordering: .relaxed) { return }
      signals.withLock { $0.append(signal) }
      let number = arrivalCount
      arrivalCount += 1
      timers[number] = scheduler.schedule(after: delay) {
        self.arrivals.send(.fired(timer: number), self.takeIn)
        self.deliveries.send(.due, self.deliver)
      }
    case .fired(let timer): timers[timer] = nil
    case .cancelled:
      timers.removeAll()
      // Taken here and released outside of the lock.
      var dropped = Queue<Signal>()
      signals.withLock { swap(&$0, &dropped) }
    }
  }

  private func deliver(_ delivery: Delivery) {
    switch delivery {
    case .due:
      // The oldest signal, whichever timer it was: none is due earlier.
      guard downstream != nil, !isCancelled.load(ordering: .relaxed),
        let signal = signals.withLock({ $0.popFirst() })
      else { return }
      switch signal {
      case .value(let value):
        if let more = downstream?.receive(value), more > .none { upstream?.request(more) }
      case .completion(let completion):
        var subscriber = downstream.take()
        subscriber?.receive(completion: completion)
        quiescence.declareOver()
      }
    case .cancelled:
      downstream = nil
      quiescence.declareOver()
    }
  }
}

private struct DelayedInput<Downstream: Subscriber>: Subscriber {
  let subscription: DelayedSubscription<Downstream>

  func receive(subscription upstream: any Subscription) { subscription.begin(upstream) }
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    subscription.arrive(.value(input))
    return .none
  }
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    subscription.arrive(.completion(completion))
  }
}
