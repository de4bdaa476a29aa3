extension Publishers {
  /// Publishes the number of intervals that have passed since the subscription: 1, 2, 3 and so on. The stream never ends.
  ///
  /// Each tick is due at a multiple of the interval, so delays do not add up. Ticks without demand are dropped. If the
  /// scheduler is late, the missed ticks are dropped. Without demand no timer runs.
  public struct Timer<Context: Scheduler>: Publisher {
    public typealias Output = Int
    public typealias Failure = Never

    /// The time between two ticks, greater than zero.
    public let interval: Duration
    /// The scheduler that measures the time and sends the ticks.
    public let scheduler: Context

    /// Creates a timer. Traps if `interval` is not positive.
    public init(every interval: Duration, on scheduler: Context) {
      precondition(interval > .zero, "Timer(every: \(interval)): the interval must be greater than zero")
      self.interval = interval
      self.scheduler = scheduler
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      let ticking = Ticking<S>(interval: interval, scheduler: scheduler, start: scheduler.now)
      OperatorStage(subscriber, ticking).begin()
    }
  }
}

private struct Ticking<Downstream: Subscriber>: OperatorLogic where Downstream.Input == Int {
  typealias Input = Never

  let interval: Duration
  let scheduler: any Scheduler
  let start: Duration
  var number = 0
  var timer: AnyCancellable?

  mutating func demandGrew(_ stage: OperatorStage<Self>) { if timer == nil { setTimer(stage) } }

  mutating func timerFired(_ stage: OperatorStage<Self>) {
    timer = nil
    guard stage.canSend else { return }
    // The time of an `ImmediateScheduler` never passes, so its ticks are counted instead.
    number = max(number + 1, passed)
    stage.send(number)
    if stage.canSend { setTimer(stage) }
  }

  mutating func receive(_ input: Never, _ stage: OperatorStage<Self>) {}
  mutating func receive(last input: Never, _ stage: OperatorStage<Self>) {}

  mutating func stop() { timer = nil }

  /// The number of whole intervals since the subscription.
  private var passed: Int { Int(clamping: (scheduler.now - start).attoseconds / interval.attoseconds) }

  private mutating func setTimer(_ stage: OperatorStage<Self>) {
    let next = max(number, passed) + 1
    let delay = start + interval * next - scheduler.now
    timer = scheduler.schedule(after: delay) { stage.timerFired() }
  }
}
