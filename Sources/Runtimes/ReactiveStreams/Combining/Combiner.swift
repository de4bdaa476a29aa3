import RuntimeSupport
import Synchronization

/// The run of an operator that makes each of its values of one value per source, as zip and combineLatest do.
///
/// Values wait in their sources' lanes; everything else happens in a mailbox, so the state below is serial. Each
/// source is asked for as many values as the downstream wants, at most a lane ahead; for everything, if that is what
/// the downstream wants and the source does not wait. What is made of the lanes, and when, is the policy's affair.
///
/// `@unchecked Sendable`: all variables belong to the mailbox's handler. The lanes live as long as this does; events
/// and inputs, which refer to them without owning them, do not outlive it.
@usableFromInline
final class Combiner<Policy: CombiningPolicy, Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline
  enum Event {
    case subscribed(Lane, any Subscription)
    /// A value of this lane, for policies that care for the order among lanes.
    case arrived(Lane)
    case finished(Lane)
    case failed(Lane, Downstream.Failure)
    case request(Subscribers.Demand)
    case cancel
  }

  @usableFromInline let mailbox = Mailbox<Event>(isBusy: true)
  @usableFromInline package let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that a loop that sends stops.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  /// `send`, compiled for the types known where the stream was made: `request` may be reached without them.
  @usableFromInline let specializedSend: (Combiner, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var policy: Policy
  @usableFromInline let lanes: Lanes
  /// Makes a value of what the policy has readied in the lanes.
  @usableFromInline @exclusivity(unchecked) var make: ((Combiner) -> Downstream.Input)?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var isOver = false
  /// What the downstream is told when all sources are quiet; `nil` after a cancellation.
  @usableFromInline @exclusivity(unchecked) var ending: Subscribers.Completion<Downstream.Failure>?

  @inlinable
  init(_ downstream: Downstream, _ lanes: Lanes, make: @escaping (Combiner) -> Downstream.Input) {
    self.downstream = downstream
    self.lanes = lanes
    self.make = make
    policy = Policy(laneCount: lanes.count)
    specializedSend = { $0.send($1) }
  }

  deinit { lanes.release() }

  /// Hands out the subscription. Sources are attached after that.
  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    if lanes.count == 0 { end(.finished) }
    leave()
  }

  // Closures and not `handle` and `look` by name, which would each retain this.
  @inlinable func send(_ event: Event) { mailbox.send(event, { handle($0) }, look: { look() }) }

  /// A value has come into a lane.
  @inlinable
  func receiveValue(in lane: Lane) {
    if Policy.keepsArrivalOrder { return send(.arrived(lane)) }
    guard mailbox.knock() else { return }
    look()
    leave()
  }

  @inlinable func leave() { mailbox.leave({ handle($0) }, look: { look() }) }

  /// A source's part of the value that is being made.
  @inlinable func value<Value>(_ index: Int) -> Value { Policy.value(in: lanes[index]) }

  @inlinable
  func handle(_ event: Event) {
    if isOver {
      if case .subscribed(_, let late) = event { late.cancel() }
      return
    }
    switch event {
    case .subscribed(let lane, let upstream):
      if lane.keep(upstream) { lane.ask(demand) } else { upstream.cancel() }
    case .arrived(let lane): policy.receiveValue(in: lane)
    case .finished(let lane):
      lane.hasFinished = true
      if policy.isOver(after: lane, lanes) { end(.finished) }
    case .failed(let lane, let error):
      // What can be made of the values before it comes before it.
      look()
      lane.hasFinished = true
      if !isOver { end(.failure(error)) }
    case .request(let asked):
      demand += asked
      look()
      if !isOver { lanes.forEach { $0.ask(demand) } }
    case .cancel: end(nil)
    }
  }

  /// Sends what can be made and is asked for.
  @inlinable
  func look() {
    while !isOver {
      let ready = policy.ready(lanes, demand)
      guard ready > 0, demand > .none, let make else { return }
      for _ in 0..<min(ready, demand.rawCount) {
        if isCancelled.load(ordering: .relaxed) { return }
        policy.prepare()
        demand -= .max(1)
        if let more = downstream?.receive(make(self)) { demand += more }
      }
      if policy.settle(lanes, demand) { end(.finished) }
    }
  }

  /// Ends the stream; `nil` is a cancellation.
  @usableFromInline
  func end(_ completion: Subscribers.Completion<Downstream.Failure>?) {
    isOver = true
    ending = completion
    var running: [(any Subscription)?] = []
    lanes.forEach { lane in
      if !lane.isOver, let upstream = lane.state.pointee.upstream { running.append(upstream) }
      lane.clear()
    }
    make = nil
    cancelAll(running) {
      var downstream = self.downstream.take()
      if let ending = self.ending { downstream?.receive(completion: ending) }
      self.quiescence.declareOver()
    }
  }
}

extension Combiner: QuiescentSubscription {
  @usableFromInline
  func request(_ asked: Subscribers.Demand) { if asked > .none { specializedSend(self, .request(asked)) } }

  @usableFromInline
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    specializedSend(self, .cancel)
  }
}

/// When a combining operator makes a value, what of its lanes it takes for that, and when it is over. ``Zipping`` and
/// ``KeepingLatest`` are the two there are.
public protocol CombiningPolicy: SendableMetatype {
  /// Whether `receiveValue(in:)` is to be told of each value, in the order of arrival.
  static var keepsArrivalOrder: Bool { get }

  /// For an operator of so many sources, none of which has sent a value.
  init(laneCount: Int)

  /// What a lane that is ready gives to the value that is being made.
  static func value<Value>(in lane: Lane) -> Value

  /// A value has come into a lane.
  mutating func receiveValue(in lane: Lane)

  /// How many values can be made in a row now.
  mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int

  /// A value is about to be made.
  mutating func prepare()

  /// Values have been made: asks the lanes for more. True when no other can be made.
  mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool

  /// Whether no value can be made any more, this lane having finished.
  func isOver(after lane: Lane, _ lanes: Lanes) -> Bool
}

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
