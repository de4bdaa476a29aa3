/// The lanes of a combining operator, in the order of its sources, all owned by this list.
///
/// Plain references: looking at a lane, which happens several times per value, counts none. Whoever made the list
/// releases it once, when nobody looks any more.
public struct Lanes {
  @usableFromInline let references: UnsafeMutableBufferPointer<Unmanaged<Lane>>

  @inlinable
  init(count: Int, _ makeLane: (Int) -> Lane) {
    references = .allocate(capacity: count)
    for index in 0..<count { references.initializeElement(at: index, to: .passRetained(makeLane(index))) }
  }

  @inlinable init(_ lanes: Lane...) { self.init(count: lanes.count) { lanes[$0] } }

  @inlinable var count: Int { references.count }

  @inlinable subscript(index: Int) -> Unmanaged<Lane> { references[index] }

  @inlinable
  func with<Result>(_ index: Int, _ body: (Lane) -> Result) -> Result {
    references[index]._withUnsafeGuaranteedRef(body)
  }

  /// Whether the body is true of one lane at least.
  @inlinable
  func any(_ body: (Lane) -> Bool) -> Bool {
    for index in 0..<count where with(index, body) { return true }
    return false
  }

  @inlinable func forEach(_ body: (Lane) -> Void) { for index in 0..<count { with(index, body) } }

  /// What `transform` makes of each lane.
  @inlinable
  func map<Value>(_ transform: (Lane) -> Value) -> [Value] {
    Array(unsafeUninitializedCapacity: count) { values, made in
      for index in 0..<count {
        values.initializeElement(at: index, to: with(index, transform))
        made += 1
      }
    }
  }

  @usableFromInline
  func release() {
    for reference in references { reference.release() }
    references.deallocate()
  }
}

/// Brings one source's signals to its lane.
///
/// `@unchecked Sendable`: the lane lives as long as the combiner, which this owns.
@usableFromInline
struct LaneInput<Input: Sendable, Policy: CombiningPolicy, Downstream: Subscriber>: Subscriber,
  @unchecked Sendable
{
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
  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    combiner.send(completion.error.map { .failed(lane, $0) } ?? .finished(lane))
  }
  @inlinable func receive(last input: Input) {
    lane._withUnsafeGuaranteedRef { $0.append(input, isLast: true) }
    combiner.receiveValue(in: lane)
  }
}
