import RuntimeSupport
import Synchronization

/// The subscription of an operator that waits, keeps or counts: passes events to its logic, one at a time, and keeps the
/// downstream and its demand.
///
/// Everything happens in a mailbox, also `request`, unless the logic passes demand on as it is.
///
/// `@unchecked Sendable`: `upstream` is written before the downstream sees the subscription; the other variables belong to the
/// mailbox's handler.
@usableFromInline final class OperatorStage<Logic: OperatorLogic>: @unchecked Sendable {
  @usableFromInline typealias Downstream = Logic.Downstream

  @usableFromInline enum Event {
    case subscribed((any Subscription)?)
    case value(Logic.Input)
    /// The last value, and the end.
    case last(Logic.Input)
    case completion(Subscribers.Completion<Logic.UpstreamFailure>)
    case signal(Logic.Signal)
    case request(Subscribers.Demand)
    case cancel
  }

  @usableFromInline let mailbox = Mailbox<Event>()
  @usableFromInline let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox, so that earlier values are not sent.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  /// `handle`, specialised where the stream was made: `request` may be reached without the types.
  @usableFromInline let specializedHandle: (OperatorStage, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var logic: Logic
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var isUpstreamRunning = false
  @usableFromInline @exclusivity(unchecked) var isOver = false
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  /// The end that the logic has requested.
  @usableFromInline @exclusivity(unchecked) var ending: Subscribers.Completion<Downstream.Failure>?
  /// The value that is sent with it.
  @usableFromInline @exclusivity(unchecked) var lastValue: Downstream.Input?

  @inlinable init(_ downstream: Downstream, _ logic: Logic) {
    self.downstream = downstream
    self.logic = logic
    specializedHandle = { $0.handle($1) }
  }

  /// Hands out the subscription. Called once, before any other event.
  @inlinable func begin(_ subscription: (any Subscription)? = nil) { send(.subscribed(subscription)) }

  @inlinable func send(_ event: Event) { mailbox.send(event, handle) }

  /// Passes the logic a signal of its own, from any thread.
  @usableFromInline func signal(_ signal: Logic.Signal) {
    mailbox.send(.signal(signal)) { specializedHandle(self, $0) }
  }

  @inlinable func handle(_ event: Event) {
    if isOver || isCancelled.load(ordering: .relaxed) {
      if case .cancel = event, !isOver { finish() }
      if case .signal(let signal) = event { logic.dismiss(signal) }
      return
    }
    switch event {
    case .subscribed(let subscription):
      upstream = subscription
      isUpstreamRunning = subscription != nil
      downstream?.receive(subscription: self)
      logic.begin(self)
    case .value(let value): logic.receive(value, self)
    case .last(let value):
      isUpstreamRunning = false
      logic.receive(last: value, self)
    case .completion(let completion):
      isUpstreamRunning = false
      logic.receive(completion: completion, self)
    case .signal(let signal): logic.receive(signal: signal, self)
    case .request(let asked):
      demand += asked
      logic.demandGrew(self)
    case .cancel: break
    }
    // Here and not in `end`, which the logic calls from inside its own access to itself.
    if ending != nil { finish() }
  }

  /// Cancels the upstream if it runs, and sends the end when that has stopped sending. A cancellation goes up in any case: the
  /// downstream has not received the end.
  @usableFromInline func finish() {
    isOver = true
    logic.stop()
    cancelAll([isUpstreamRunning || ending == nil ? upstream : nil]) {
      var downstream = self.downstream.take()
      if let value = self.lastValue.take() {
        downstream?.receive(last: value)
      } else if let ending = self.ending {
        downstream?.receive(completion: ending)
      }
      self.quiescence.declareOver()
    }
  }

  // MARK: For the logic, inside the mailbox

  /// Whether a value is requested and the stream is not cancelled.
  @inlinable var canSend: Bool { demand > .none && ending == nil && !isCancelled.load(ordering: .relaxed) }

  /// Sends a value. Its demand must be there: see `canSend`.
  @inlinable func send(_ value: Downstream.Input) {
    demand -= .max(1)
    if let more = downstream?.receive(value) { demand += more }
  }

  /// Sends a value that the downstream has requested from the upstream itself, and passes its demand on.
  @inlinable func forward(_ value: Downstream.Input) {
    if let more = downstream?.receive(value), more > .none { upstream?.request(more) }
  }

  /// Ends the stream, when the logic has returned, and cancels the upstream if it runs.
  @inlinable func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    if ending == nil { ending = completion }
  }

  /// Ends the stream with its last value, for which there must be demand.
  @inlinable func end(last value: Downstream.Input) {
    if ending == nil { (ending, lastValue) = (.finished, value) }
  }
}

extension OperatorStage: QuiescentSubscription {
  @usableFromInline func request(_ asked: Subscribers.Demand) {
    if asked == .none { return }
    if Logic.passesDemand {
      upstream?.request(asked)
    } else {
      mailbox.send(.request(asked)) { specializedHandle(self, $0) }
    }
  }

  @usableFromInline var waitsForDemand: Bool {
    Logic.waitsForDemand || Logic.passesDemand && upstream?.waitsForDemand == true
  }

  @usableFromInline func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    mailbox.send(.cancel) { specializedHandle(self, $0) }
  }
}

/// Passes the upstream's signals to a stage.
@usableFromInline struct OperatorInput<Logic: OperatorLogic>: Subscriber {
  @usableFromInline let stage: OperatorStage<Logic>
  /// What the upstream gets requests for at the start, whatever the downstream's demand.
  @usableFromInline let initialDemand: Subscribers.Demand
  @usableFromInline var isSubscribed = false

  @inlinable init(_ stage: OperatorStage<Logic>, initialDemand: Subscribers.Demand) {
    self.stage = stage
    self.initialDemand = initialDemand
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    if isSubscribed { return subscription.cancel() }
    isSubscribed = true
    stage.begin(subscription)
    // Outside the mailbox: values that come at once are handled at once instead of piling up there.
    if initialDemand > .none { subscription.request(initialDemand) }
  }
  @inlinable func receive(_ input: Logic.Input) -> Subscribers.Demand {
    stage.send(.value(input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Logic.UpstreamFailure>) {
    stage.send(.completion(completion))
  }
  @inlinable func receive(last input: Logic.Input) { stage.send(.last(input)) }
}

/// An operator's reaction to events. An `OperatorStage` calls it, never twice at a time.
@usableFromInline
protocol OperatorLogic: SendableMetatype {
  associatedtype Downstream: Subscriber
  associatedtype Input: Sendable = Downstream.Input
  associatedtype UpstreamFailure: Error = Downstream.Failure
  /// The logic's own signals, from timers and other publishers.
  associatedtype Signal: Sendable = Never

  /// Whether each request goes straight to the upstream, rather than to `demandGrew`.
  static var passesDemand: Bool { get }
  /// Whether it keeps values until they are requested. If demand is passed on, the upstream knows.
  static var waitsForDemand: Bool { get }

  /// The downstream has its subscription.
  mutating func begin(_ stage: OperatorStage<Self>)
  mutating func receive(_ input: Input, _ stage: OperatorStage<Self>)
  /// Receives the last value, and the end. The stream's last value goes to `end(last:)`.
  mutating func receive(last input: Input, _ stage: OperatorStage<Self>)
  mutating func receive(completion: Subscribers.Completion<UpstreamFailure>, _ stage: OperatorStage<Self>)
  mutating func receive(signal: Signal, _ stage: OperatorStage<Self>)
  /// The downstream has requested more.
  mutating func demandGrew(_ stage: OperatorStage<Self>)
  /// Receives a signal in place of `receive(signal:)` when the stream has ended or was cancelled.
  func dismiss(_ signal: Signal)
  /// The stream has ended or was cancelled: release everything.
  mutating func stop()
}

extension OperatorLogic {
  @inlinable static var passesDemand: Bool { false }
  @inlinable static var waitsForDemand: Bool { false }
  @inlinable mutating func begin(_ stage: OperatorStage<Self>) {}
  @inlinable mutating func demandGrew(_ stage: OperatorStage<Self>) {}
  @inlinable func dismiss(_ signal: Signal) {}
  @inlinable mutating func stop() {}
}

extension OperatorLogic where UpstreamFailure == Downstream.Failure {
  @inlinable mutating func receive(
    completion: Subscribers.Completion<UpstreamFailure>, _ stage: OperatorStage<Self>
  ) {
    stage.end(completion)
  }
}

extension OperatorLogic where Signal == Never {
  @inlinable mutating func receive(signal: Never, _ stage: OperatorStage<Self>) {}
}

/// A subscriber that passes on its subscription, its values and its end, unless it declares otherwise.
@usableFromInline
protocol ForwardingSubscriber: Subscriber {
  associatedtype Downstream: Subscriber
  associatedtype Input = Downstream.Input
  associatedtype Failure = Downstream.Failure

  var downstream: Downstream { get set }
}

extension ForwardingSubscriber {
  @inlinable mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
}

extension ForwardingSubscriber where Input == Downstream.Input {
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
}

extension ForwardingSubscriber where Failure == Downstream.Failure {
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

/// An operator's result for one value: a value for the downstream, or none.
@usableFromInline
protocol ValueStep: Sendable, SendableMetatype {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  mutating func step(_ input: Input) -> Output?
}

/// Takes a step for each value, and requests one more for each that gives none.
@usableFromInline struct StepSubscriber<Step: ValueStep, Downstream: Subscriber>: ForwardingSubscriber
where Step.Output == Downstream.Input {
  @usableFromInline typealias Input = Step.Input

  @usableFromInline var downstream: Downstream
  @usableFromInline var step: Step

  @inlinable init(_ downstream: Downstream, _ step: Step) {
    self.downstream = downstream
    self.step = step
  }

  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = step.step(input) else { return .max(1) }
    return downstream.receive(output)
  }
  @inlinable mutating func receive(last input: Input) {
    if let output = step.step(input) {
      downstream.receive(last: output)
    } else {
      downstream.receive(completion: .finished)
    }
  }
}
