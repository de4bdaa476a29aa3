import Synchronization

extension Publishers {
  /// Fails when the next signal takes longer than an interval.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Duration
    public let scheduler: Context
    public let customError: @Sendable () -> Failure

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let timed = TimeoutSubscription(subscriber, interval, scheduler, customError)
      upstream.receive(subscriber: TimeoutInput(timed: timed))
    }
  }
}

extension Publisher {
  /// Fails with `customError`, and cancels this publisher, when no signal has come for `interval`.
  ///
  /// The clock starts at the subscription and again at each value.
  public func timeout<S: Scheduler>(
    _ interval: Duration, scheduler: S, customError: @escaping @Sendable () -> Failure
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

/// `@unchecked Sendable`: `upstream` is written before the downstream sees the subscription; the other
/// variables belong to the mailbox's handler.
private final class TimeoutSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
  enum Event {
    case begin
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
    case timedOut(Int)
    case cancelled
  }

  private let mailbox = Mailbox<Event>()
  private let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that values ahead of it are not sent.
  private let isCancelled = Atomic<Bool>(false)
  private let interval: Duration
  private let scheduler: any Scheduler
  private let customError: @Sendable () -> Downstream.Failure
  private var upstream: (any Subscription)?
  private var downstream: Downstream?
  private var timer: AnyCancellable?
  /// Tells the running timer from an earlier one that fired too late to be cancelled.
  private var signalCount = 0

  init(
    _ downstream: Downstream, _ interval: Duration, _ scheduler: any Scheduler,
    _ customError: @escaping @Sendable () -> Downstream.Failure
  ) {
    self.downstream = downstream
    self.interval = interval
    self.scheduler = scheduler
    self.customError = customError
  }

  func begin(_ subscription: any Subscription) {
    upstream = subscription
    send(.begin)
  }

  func send(_ event: Event) { mailbox.send(event, handle) }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    upstream?.cancel()
    send(.cancelled)
  }

  func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }

  private func handle(_ event: Event) {
    guard downstream != nil else { return }
    switch event {
    case .begin:
      restart()
      downstream?.receive(subscription: self)
    case .value(let value):
      if isCancelled.load(ordering: .relaxed) { return }
      restart()
      if let more = downstream?.receive(value), more > .none { upstream?.request(more) }
    case .completion(let completion): end(completion)
    case .timedOut(let count):
      guard count == signalCount else { return }
      upstream?.cancel()
      end(.failure(customError()))
    case .cancelled: end(nil)
    }
  }

  private func restart() {
    signalCount += 1
    let count = signalCount
    timer = scheduler.schedule(after: interval) { self.send(.timedOut(count)) }
  }

  private func end(_ completion: Subscribers.Completion<Downstream.Failure>?) {
    timer = nil
    var subscriber = downstream.take()
    if let completion { subscriber?.receive(completion: completion) }
    quiescence.declareOver()
  }
}

private struct TimeoutInput<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let timed: TimeoutSubscription<Downstream>

  func receive(subscription: any Subscription) { timed.begin(subscription) }
  func receive(_ input: Input) -> Subscribers.Demand {
    timed.send(.value(input))
    return .none
  }
  func receive(completion: Subscribers.Completion<Failure>) { timed.send(.completion(completion)) }
}
