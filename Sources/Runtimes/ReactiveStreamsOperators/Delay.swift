import ReactiveStreams

extension Publishers {
  /// Sends values and the end from a scheduler, each after a delay.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// How much later each is sent.
    public let interval: Duration
    /// Tells the time, and sends values and the end.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      // A timer may fire while another thread, which is not the scheduler's, has just taken something in.
      Delayed(upstream: upstream, interval: interval, scheduler: scheduler).receive(on: scheduler)
        .receive(subscriber: subscriber)
    }
  }
}

extension Publisher {
  /// Sends values and a successful end later by `interval`; a failure too, so that order is kept.
  public func delay<S: Scheduler>(for interval: Duration, scheduler: S) -> Publishers.Delay<Self, S> {
    Publishers.Delay(upstream: self, interval: interval, scheduler: scheduler)
  }
}

/// Passes signals on after a delay, on any thread.
private struct Delayed<Upstream: Publisher>: Operator {
  let upstream: Upstream
  let interval: Duration
  let scheduler: any Scheduler

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let stage = OperatorStage(subscriber, Delaying<S>(interval: interval, scheduler: scheduler))
    upstream.receive(subscriber: OperatorInput(stage, initialDemand: .none))
  }
}

private struct Delaying<Downstream: Subscriber>: OperatorLogic {
  static var passesDemand: Bool { true }

  enum Arrival: Sendable {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }

  let interval: Duration
  let scheduler: any Scheduler
  var waiting = Queue<Arrival>()
  var arrivalCount = 0
  /// Keyed by the arrival's number: a scheduler with several threads fires them in any order.
  var timers: [Int: AnyCancellable] = [:]

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    keep(.value(input), stage)
  }

  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>)
  {
    keep(.completion(completion), stage)
  }

  mutating func receive(signal timer: Int, _ stage: OperatorStage<Self>) {
    timers[timer] = nil
    // The oldest, whichever timer it was: none is due earlier.
    switch waiting.popFirst() {
    case .value(let value): stage.forward(value)
    case .completion(let completion): stage.end(completion)
    case nil: break
    }
  }

  mutating func stop() {
    timers = [:]
    waiting.removeAll()
  }

  private mutating func keep(_ arrival: Arrival, _ stage: OperatorStage<Self>) {
    waiting.append(arrival)
    let number = arrivalCount
    arrivalCount += 1
    timers[number] = scheduler.schedule(after: interval) { stage.signal(number) }
  }
}
