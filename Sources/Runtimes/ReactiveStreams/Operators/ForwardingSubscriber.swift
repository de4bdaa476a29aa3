/// A subscriber that hands on what it has no other use for: its subscription, its values and its end.
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

/// What an operator makes of one value: a value for the downstream, or none.
@usableFromInline
protocol ValueStep: Sendable, SendableMetatype {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  mutating func step(_ input: Input) -> Output?
}

/// Takes a step for each value, and asks for one more in place of each that gives none.
@usableFromInline
struct StepSubscriber<Step: ValueStep, Downstream: Subscriber>: ForwardingSubscriber
where Step.Output == Downstream.Input {
  @usableFromInline typealias Input = Step.Input

  @usableFromInline var downstream: Downstream
  @usableFromInline var step: Step

  @inlinable
  init(_ downstream: Downstream, _ step: Step) {
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
