import RuntimeSupport
import Synchronization

/// The subscription of an operator that has state. The mailbox passes events to the operator's `logic`, one at a time.
///
/// `@unchecked Sendable`: `upstream` is written before the downstream sees this object. Only event handlers touch the rest.
@usableFromInline final class OperatorStage<Logic: OperatorLogic>: @unchecked Sendable {
  @usableFromInline typealias Downstream = Logic.Downstream

  @usableFromInline enum Event {
    case subscribed((any Subscription)?)
    case value(Logic.Input)
    /// The last value, together with the end.
    case last(Logic.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
    case timer
    case request(Subscribers.Demand)
    case cancel
  }

  @usableFromInline let mailbox = Mailbox<Event>()
  @usableFromInline let quiescence = Quiescence()
  /// Set by `cancel` before the mailbox handles the cancellation, so that values that wait in the mailbox are not sent.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  /// Calls `handle` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedHandle: (OperatorStage, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var logic: Logic
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var isUpstreamRunning = false
  @usableFromInline @exclusivity(unchecked) var isOver = false
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  /// The end of the stream that the operator's logic has requested.
  @usableFromInline @exclusivity(unchecked) var ending: Subscribers.Completion<Downstream.Failure>?
  @usableFromInline @exclusivity(unchecked) var lastValue: Downstream.Input?

  @inlinable init(_ downstream: Downstream, _ logic: Logic) {
    self.downstream = downstream
    self.logic = logic
    specializedHandle = { $0.handle($1) }
  }

  /// Passes this subscription to the downstream. Called once, before other events.
  @inlinable func begin(_ subscription: (any Subscription)? = nil) { send(.subscribed(subscription)) }

  @inlinable func send(_ event: Event) { mailbox.send(event, handle) }

  /// Notifies the operator's logic that its timer has fired. May be called from any thread.
  @usableFromInline func timerFired() { mailbox.send(.timer) { specializedHandle(self, $0) } }

  @inlinable func handle(_ event: Event) {
    if isOver || isCancelled.load(ordering: .relaxed) {
      if case .cancel = event, !isOver { finish() }
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
    case .timer: logic.timerFired(self)
    case .request(let asked):
      demand += asked
      logic.demandGrew(self)
    case .cancel: break
    }
    // `end` does not call `finish`: the logic calls `end` from a `mutating` method, which has exclusive access to the logic.
    if ending != nil { finish() }
  }

  /// Cancels the upstream if it is running or this stream was cancelled. Sends the end after the upstream has stopped sending.
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

  // MARK: Only for the operator's logic

  /// Whether the downstream has requested a value and the stream has not ended.
  @inlinable var canSend: Bool { demand > .none && ending == nil && !isCancelled.load(ordering: .relaxed) }

  /// Sends a value. Allowed only if `canSend` is true.
  @inlinable func send(_ value: Downstream.Input) {
    demand -= .max(1)
    if let more = downstream?.receive(value) { demand += more }
  }

  /// Sends a value and passes the downstream's additional demand to the upstream. Only for logic whose `passesDemand` is true.
  @inlinable func forward(_ value: Downstream.Input) {
    if let more = downstream?.receive(value), more > .none { upstream?.request(more) }
  }

  /// Ends the stream when the running method of the logic has returned. Cancels the upstream if it is running.
  @inlinable func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    if ending == nil { ending = completion }
  }

  /// Ends the stream with a last value. Allowed only if `canSend` is true.
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

/// The subscriber of an operator's upstream, which passes the signals to the operator's `stage`.
@usableFromInline struct OperatorInput<Logic: OperatorLogic>: Subscriber {
  @usableFromInline let stage: OperatorStage<Logic>
  /// The demand for the upstream at the start, which does not depend on the downstream's demand.
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
    // Requested outside of the mailbox, so that values that arrive during this call need not be queued.
    if initialDemand > .none { subscription.request(initialDemand) }
  }
  @inlinable func receive(_ input: Logic.Input) -> Subscribers.Demand {
    stage.send(.value(input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Logic.Downstream.Failure>) {
    stage.send(.completion(completion))
  }
  @inlinable func receive(last input: Logic.Input) { stage.send(.last(input)) }
}

/// The state of an operator and its reaction to events. An `OperatorStage` calls these methods, one at a time.
@usableFromInline
protocol OperatorLogic: SendableMetatype {
  associatedtype Downstream: Subscriber
  associatedtype Input: Sendable = Downstream.Input

  /// Whether the downstream's requests go directly to the upstream, not to `demandGrew`.
  static var passesDemand: Bool { get }
  /// Whether the operator keeps values until they are requested. Ignored if `passesDemand` is true: the upstream then decides.
  static var waitsForDemand: Bool { get }

  /// Starts the work, after the downstream has received its subscription.
  mutating func begin(_ stage: OperatorStage<Self>)
  mutating func receive(_ input: Input, _ stage: OperatorStage<Self>)
  /// Receives the last value together with the end.
  mutating func receive(last input: Input, _ stage: OperatorStage<Self>)
  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>)
  mutating func timerFired(_ stage: OperatorStage<Self>)
  /// Reacts to more demand of the downstream.
  mutating func demandGrew(_ stage: OperatorStage<Self>)
  /// Releases what the operator holds, after the stream has ended or was cancelled.
  mutating func stop()
}

extension OperatorLogic {
  @inlinable static var passesDemand: Bool { false }
  @inlinable static var waitsForDemand: Bool { false }
  @inlinable mutating func begin(_ stage: OperatorStage<Self>) {}
  @inlinable mutating func timerFired(_ stage: OperatorStage<Self>) {}
  @inlinable mutating func demandGrew(_ stage: OperatorStage<Self>) {}
  @inlinable mutating func stop() {}
  @inlinable mutating func receive(
    completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>
  ) {
    stage.end(completion)
  }
}

/// A subscriber that passes signals on to the downstream, unless it declares its own method for a signal.
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
  @inlinable mutating func receive(last input: Input) { downstream.receive(last: input) }
}

extension ForwardingSubscriber where Failure == Downstream.Failure {
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

/// A function that turns a value of the upstream into a value for the downstream, or into no value.
@usableFromInline
protocol ValueStep: Sendable, SendableMetatype {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  mutating func step(_ input: Input) -> Output?
}

/// The subscriber of an operator that is a `ValueStep`. If `step` returns no value, this subscriber requests one more.
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
