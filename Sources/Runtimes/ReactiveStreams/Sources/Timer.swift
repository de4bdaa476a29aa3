extension Publishers {
  /// Publishes the number of the interval that has just passed since the subscription: 1, 2, 3 and so on.
  ///
  /// Each tick comes at its multiple of the interval, so delays do not add up. A tick without demand is dropped, and so are
  /// those that a late scheduler leaves behind. Without demand no timer runs. It never ends by itself.
  public struct Timer<Context: Scheduler>: Publisher {
    public typealias Output = Int
    public typealias Failure = Never

    /// From one tick to the next; above zero.
    public let interval: Duration
    /// Keeps the time, and sends the ticks.
    public let scheduler: Context

    /// Traps when `interval` is not positive.
    public init(every interval: Duration, on scheduler: Context) {
      precondition(interval > .zero, "a timer needs an interval")
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

  mutating func receive(signal: Void, _ stage: OperatorStage<Self>) {
    timer = nil
    guard stage.canSend else { return }
    // An immediate scheduler's time does not pass, but its ticks count.
    number = max(number + 1, passed)
    stage.send(number)
    if stage.canSend { setTimer(stage) }
  }

  mutating func receive(_ input: Never, _ stage: OperatorStage<Self>) {}
  mutating func receive(last input: Never, _ stage: OperatorStage<Self>) {}

  mutating func stop() { timer = nil }

  /// How many whole intervals have passed since the subscription.
  private var passed: Int { Int(clamping: (scheduler.now - start).attoseconds / interval.attoseconds) }

  private mutating func setTimer(_ stage: OperatorStage<Self>) {
    let next = max(number, passed) + 1
    let delay = start + interval * next - scheduler.now
    timer = scheduler.schedule(after: delay) { stage.signal(()) }
  }
}
