/// A subscriber that hands on what it has no other use for: its subscription, its values and its end.
@usableFromInline
package protocol ForwardingSubscriber: Subscriber {
  associatedtype Downstream: Subscriber
  associatedtype Input = Downstream.Input
  associatedtype Failure = Downstream.Failure

  var downstream: Downstream { get set }
}

extension ForwardingSubscriber {
  @inlinable package mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
}

extension ForwardingSubscriber where Input == Downstream.Input {
  @inlinable package mutating func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
}

extension ForwardingSubscriber where Failure == Downstream.Failure {
  @inlinable package mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

/// What an operator makes of one value: a value for the downstream, or none.
@usableFromInline
package protocol ValueStep: Sendable, SendableMetatype {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  mutating func step(_ input: Input) -> Output?
}

/// Takes a step for each value, and asks for one more in place of each that gives none.
@usableFromInline
package struct StepSubscriber<Step: ValueStep, Downstream: Subscriber>: ForwardingSubscriber
where Step.Output == Downstream.Input {
  @usableFromInline package typealias Input = Step.Input

  @usableFromInline package var downstream: Downstream
  @usableFromInline var step: Step

  @inlinable
  package init(_ downstream: Downstream, _ step: Step) {
    self.downstream = downstream
    self.step = step
  }

  @inlinable package mutating func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = step.step(input) else { return .max(1) }
    return downstream.receive(output)
  }
  @inlinable package mutating func receive(last input: Input) {
    if let output = step.step(input) {
      downstream.receive(last: output)
    } else {
      downstream.receive(completion: .finished)
    }
  }
}
