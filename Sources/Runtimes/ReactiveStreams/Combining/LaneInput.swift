/// Brings one source's signals to its lane.
@usableFromInline
struct LaneInput<Input: Sendable, Policy: CombiningPolicy, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let values: ValueLane<Input>
  @usableFromInline let combiner: Combiner<Policy, Downstream>

  @inlinable
  init(_ values: ValueLane<Input>, _ combiner: Combiner<Policy, Downstream>) {
    self.values = values
    self.combiner = combiner
  }

  @inlinable func receive(subscription: any Subscription) {
    combiner.send(.subscribed(values.lane, subscription))
  }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    combiner.receiveValue(in: values.lane)
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: combiner.send(.finished(values.lane))
    case .failure(let error): combiner.send(.failed(values.lane, error))
    }
  }
  @inlinable func receive(last input: Input) {
    values.append(input, isLast: true)
    combiner.receiveValue(in: values.lane)
  }
}
