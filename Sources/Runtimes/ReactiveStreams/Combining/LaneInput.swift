/// Brings one source's signals to its lane.
///
/// `@unchecked Sendable`: the lane lives as long as the combiner, which this owns.
@usableFromInline
struct LaneInput<Input: Sendable, Policy: CombiningPolicy, Downstream: Subscriber>: Subscriber,
  @unchecked Sendable
{
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let lane: Unmanaged<Lane>
  @usableFromInline let combiner: Combiner<Policy, Downstream>

  @inlinable
  init(_ combiner: Combiner<Policy, Downstream>, _ index: Int) {
    lane = combiner.lanes[index]
    self.combiner = combiner
  }

  @inlinable func receive(subscription: any Subscription) { combiner.send(.subscribed(lane, subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    lane._withUnsafeGuaranteedRef { $0.append(input) }
    combiner.receiveValue(in: lane)
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: combiner.send(.finished(lane))
    case .failure(let error): combiner.send(.failed(lane, error))
    }
  }
  @inlinable func receive(last input: Input) {
    lane._withUnsafeGuaranteedRef { $0.append(input, isLast: true) }
    combiner.receiveValue(in: lane)
  }
}
