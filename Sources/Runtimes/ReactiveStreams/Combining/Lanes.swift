/// The lanes of a combining operator, in the order of its sources, all in one piece of memory.
///
/// Plain references: looking at a lane, which happens several times per value, counts none. Whoever made the list
/// releases it once, when nobody looks any more.
public struct Lanes {
  // Invariant: from `memory` on there are `count` lanes, one every `stride` bytes, which suits the alignment of each.
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let count: Int
  @usableFromInline let stride: Int

  /// Lanes for values of one type.
  @inlinable
  init<Value: Sendable>(count: Int, of type: Value.Type) {
    let plan = LanePlan(of: type)
    self.init(count: count, byteCount: plan.byteCount, alignment: plan.alignment)
    for index in 0..<count { plan.make(in: memory + index * stride) }
  }

  /// A lane for each plan.
  @inlinable
  init(_ plans: LanePlan...) {
    self.init(
      count: plans.count, byteCount: plans.reduce(0) { max($0, $1.byteCount) },
      alignment: plans.reduce(1) { max($0, $1.alignment) })
    for index in 0..<count { plans[index].make(in: memory + index * stride) }
  }

  @inlinable
  init(count: Int, byteCount: Int, alignment: Int) {
    self.count = count
    stride = (byteCount + alignment - 1) / alignment * alignment
    memory = .allocate(byteCount: count * stride, alignment: alignment)
  }

  @inlinable subscript(index: Int) -> Lane {
    Lane(state: (memory + index * stride).assumingMemoryBound(to: LaneState.self))
  }

  /// Whether the body is true of one lane at least.
  @inlinable
  func any(_ body: (Lane) -> Bool) -> Bool {
    for index in 0..<count where body(self[index]) { return true }
    return false
  }

  @inlinable func forEach(_ body: (Lane) -> Void) { for index in 0..<count { body(self[index]) } }

  /// What `transform` makes of each lane.
  @inlinable
  func map<Value>(_ transform: (Lane) -> Value) -> [Value] {
    Array(unsafeUninitializedCapacity: count) { values, made in
      for index in 0..<count {
        values.initializeElement(at: index, to: transform(self[index]))
        made += 1
      }
    }
  }

  @usableFromInline
  func release() {
    forEach { $0.destroy() }
    memory.deallocate()
  }
}

/// Brings one source's signals to its lane.
///
/// `@unchecked Sendable`: the lane lives as long as the combiner, which this owns.
@usableFromInline
struct LaneInput<Input: Sendable, Policy: CombiningPolicy, Downstream: Subscriber>: Subscriber,
  @unchecked Sendable
{
  @usableFromInline let lane: Lane
  @usableFromInline let combiner: Combiner<Policy, Downstream>

  @inlinable
  init(_ combiner: Combiner<Policy, Downstream>, _ index: Int) {
    lane = combiner.lanes[index]
    self.combiner = combiner
  }

  @inlinable func receive(subscription: any Subscription) { combiner.send(.subscribed(lane, subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    lane.append(input)
    combiner.receiveValue(in: lane)
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    combiner.send(completion.error.map { .failed(lane, $0) } ?? .finished(lane))
  }
  @inlinable func receive(last input: Input) {
    lane.append(input, isLast: true)
    combiner.receiveValue(in: lane)
  }
}
