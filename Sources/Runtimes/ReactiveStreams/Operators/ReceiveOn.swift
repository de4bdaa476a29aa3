import Synchronization

extension Publishers {
  /// Sends values and the end from a scheduler, each after a delay if there is one.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let scheduler: Context
    public let delay: Duration?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: ScheduledInput(ScheduledSubscription(subscriber, scheduler, delay)))
    }
  }
}

extension Publisher {
  /// Sends values and the end from a scheduler, in order. What waits there is bounded by the demand.
  public func receive<S: Scheduler>(on scheduler: S) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, delay: nil)
  }

  /// Sends values and a successful end later by `interval`; a failure too, so that order is kept.
  public func delay<S: Scheduler>(for interval: Duration, scheduler: S) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, delay: interval)
  }
}

private enum ScheduledSignal<Value, Failure: Error> {
  case value(Value)
  case completion(Subscribers.Completion<Failure>)
}

/// `@unchecked Sendable`: `upstream` is written before the downstream sees the subscription; the other
/// variables belong to the mailbox's handler.
private final class ScheduledSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
  typealias Signal = ScheduledSignal<Downstream.Input, Downstream.Failure>
  enum Event {
    case arrived(Signal)
    /// A timer has fired, or what was scheduled without one has come.
    case due(timer: Int?)
    case cancelled
  }

  /// Busy until the subscription has been handed out.
  private let mailbox = Mailbox<Event>(isBusy: true)
  private let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that values ahead of it are not sent.
  private let isCancelled = Atomic<Bool>(false)
  private let scheduler: any Scheduler
  private let delay: Duration?
  private var upstream: (any Subscription)?
  private var downstream: Downstream?
  private var signals = Queue<Signal>()
  /// By the number of their signal: a scheduler with several threads fires them in any order.
  private var timers: [Int: AnyCancellable] = [:]
  private var arrivals = 0

  init(_ downstream: Downstream, _ scheduler: any Scheduler, _ delay: Duration?) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.delay = delay
  }

  func begin(_ subscription: any Subscription) {
    guard upstream == nil else { return subscription.cancel() }
    upstream = subscription
    downstream?.receive(subscription: self)
    mailbox.leave(handle)
  }

  func arrive(_ signal: Signal) { mailbox.send(.arrived(signal), handle) }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    upstream?.cancel()
    mailbox.send(.cancelled, handle)
  }

  func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }

  private func handle(_ event: Event) {
    switch event {
    case .arrived(let signal):
      if downstream == nil { return }
      signals.append(signal)
      if let delay {
        let number = arrivals
        arrivals += 1
        timers[number] = scheduler.schedule(after: delay) {
          self.mailbox.send(.due(timer: number), self.handle)
        }
      } else {
        scheduler.schedule { self.mailbox.send(.due(timer: nil), self.handle) }
      }
    case .due(let timer):
      if let timer { timers[timer] = nil }
      // The oldest signal, whichever timer it was: none is due earlier.
      guard downstream != nil, !isCancelled.load(ordering: .relaxed), let signal = signals.popFirst() else {
        return
      }
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
      signals.removeAll()
      timers.removeAll()
      quiescence.declareOver()
    }
  }
}

private struct ScheduledInput<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let subscription: ScheduledSubscription<Downstream>

  init(_ subscription: ScheduledSubscription<Downstream>) { self.subscription = subscription }

  func receive(subscription upstream: any Subscription) { subscription.begin(upstream) }
  func receive(_ input: Input) -> Subscribers.Demand {
    subscription.arrive(.value(input))
    return .none
  }
  func receive(completion: Subscribers.Completion<Failure>) { subscription.arrive(.completion(completion)) }
}
