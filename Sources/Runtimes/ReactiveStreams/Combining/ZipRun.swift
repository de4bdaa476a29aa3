import RuntimeSupport
import Synchronization

/// The subscription of a zip, which combines one value of each source into one value for the downstream.
///
/// The values of each source wait in a queue, a `Lane`. The mailbox handles all other events, one at a time.
///
/// `@unchecked Sendable`: only the thread that handles the mailbox's events touches variables. This object owns the lanes and
/// outlives the events and `LaneInput`s that refer to lanes.
@usableFromInline final class ZipRun<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline enum Event {
    case subscribed(Lane, any Subscription)
    case finished(Lane)
    case failed(Lane, Downstream.Failure)
    case request(Subscribers.Demand)
    case cancel
  }

  /// How a zip ends, after all its sources have stopped sending.
  @usableFromInline enum Ending: Sendable {
    case last(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
    case cancellation
  }

  @usableFromInline let mailbox = Mailbox<Event>(isBusy: true)
  @usableFromInline let quiescence = Quiescence()
  /// Set by `cancel` before the mailbox handles the cancellation, so that `look` immediately stops sending values.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  /// Calls `send` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedSend: (ZipRun, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline let lanes: Lanes
  /// Takes one waiting value of each source and combines them into a value for the downstream.
  @usableFromInline @exclusivity(unchecked) var make: ((ZipRun) -> Downstream.Input)?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var isOver = false
  /// The index of the first source that is not known to have a waiting value.
  @usableFromInline @exclusivity(unchecked) var firstUnseen = 0
  /// The smallest number of waiting values among the sources before `firstUnseen`.
  @usableFromInline @exclusivity(unchecked) var least = Int.max

  @inlinable init(_ downstream: Downstream, _ lanes: Lanes, make: @escaping (ZipRun) -> Downstream.Input) {
    self.downstream = downstream
    self.lanes = lanes
    self.make = make
    specializedSend = { $0.send($1) }
  }

  deinit { lanes.release() }

  /// Passes this subscription to the downstream, before the sources are subscribed to.
  @inlinable func begin() {
    downstream?.receive(subscription: self)
    if lanes.count == 0 { end(.completion(.finished)) }
    leave()
  }

  // Closures, because references to the methods `handle` and `look` would each retain this object.
  @inlinable func send(_ event: Event) { mailbox.send(event, { handle($0) }, look: { look() }) }

  /// Reacts to a new value in the queue of a source.
  @inlinable func receiveValue() {
    guard mailbox.knock() else { return }
    look()
    leave()
  }

  @inlinable func leave() { mailbox.leave({ handle($0) }, look: { look() }) }

  /// Takes the oldest waiting value of the source at `index`.
  @inlinable func value<Value>(_ index: Int) -> Value { lanes[index].take(Value.self) }

  @inlinable func handle(_ event: Event) {
    if isOver {
      if case .subscribed(_, let late) = event { late.cancel() }
      return
    }
    switch event {
    case .subscribed(let lane, let upstream):
      if lane.keep(upstream) { lane.ask(demand) } else { upstream.cancel() }
    case .finished(let lane):
      lane.hasFinished = true
      if lane.isUsedUp { end(.completion(.finished)) }
    case .failed(let lane, let error):
      // Values that arrived before the failure are combined and sent first.
      look()
      lane.hasFinished = true
      if !isOver { end(.completion(.failure(error))) }
    case .request(let asked):
      demand += asked
      look()
      if !isOver { lanes.forEach { $0.ask(demand) } }
    case .cancel: end(.cancellation)
    }
  }

  /// Combines and sends waiting values as long as every source has one and there is demand.
  @inlinable func look() {
    while !isOver {
      let count = min(countReady(), demand.rawCount)
      guard count > 0, let make else { return }
      for number in 1...count {
        if isCancelled.load(ordering: .relaxed) { return }
        demand -= .max(1)
        let value = make(self)
        // One signal for the last value and the end, so that no reaction to the value, such as a cancellation, comes first.
        if number == count, lanes.any({ $0.isUsedUp }) { return end(.last(value)) }
        if let more = downstream?.receive(value) { demand += more }
      }
      firstUnseen = 0
      least = .max
      lanes.forEach { $0.ask(demand) }
    }
  }

  /// The number of values to send before more are requested from the sources. At most half of `capacity`, so that no source
  /// runs out of demand.
  @inlinable func countReady() -> Int {
    while firstUnseen < lanes.count {
      let waiting = lanes[firstUnseen].count
      if waiting == 0 { return 0 }
      least = min(least, waiting)
      firstUnseen += 1
    }
    return min(least, Lane.capacity / 2)
  }

  /// Ends the stream: cancels the running sources, and sends the end after they have stopped sending.
  @inlinable func end(_ ending: Ending) {
    isOver = true
    var running: [(any Subscription)?] = []
    lanes.forEach { lane in
      if !lane.isOver, let upstream = lane.state.pointee.upstream { running.append(upstream) }
      lane.clear()
    }
    make = nil
    if running.isEmpty { return finish(ending) }
    cancelAll(running) { self.finish(ending) }
  }

  @inlinable func finish(_ ending: Ending) {
    var downstream = downstream.take()
    switch ending {
    case .last(let value): downstream?.receive(last: value)
    case .completion(let completion): downstream?.receive(completion: completion)
    case .cancellation: break
    }
    quiescence.declareOver()
  }
}

extension ZipRun: QuiescentSubscription {
  @usableFromInline
  func request(_ asked: Subscribers.Demand) { if asked > .none { specializedSend(self, .request(asked)) } }

  @usableFromInline func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    specializedSend(self, .cancel)
  }
}

/// The queues of a zip's sources, in the order of the sources, in one block of memory, which the `deinit` of `ZipRun` frees.
/// Queues are not reference-counted, because each value needs several accesses.
@usableFromInline struct Lanes {
  // Invariant: `memory` points to `count` queues (lanes), `stride` bytes apart. `stride` is a multiple of each one's alignment.
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let count: Int
  @usableFromInline let stride: Int

  /// Creates the lanes (queues) of `count` sources whose values have one type.
  @inlinable init<Value: Sendable>(count: Int, of type: Value.Type) {
    let plan = LanePlan(of: type)
    self.init(count: count, byteCount: plan.byteCount, alignment: plan.alignment)
    for index in 0..<count { plan.make(in: memory + index * stride) }
  }

  /// Creates one lane (the queue for one source) for each plan, which describes the lane's memory layout.
  @inlinable init(_ plans: LanePlan...) {
    self.init(
      count: plans.count, byteCount: plans.reduce(0) { max($0, $1.byteCount) },
      alignment: plans.reduce(1) { max($0, $1.alignment) })
    for index in 0..<count { plans[index].make(in: memory + index * stride) }
  }

  @inlinable init(count: Int, byteCount: Int, alignment: Int) {
    self.count = count
    stride = (byteCount + alignment - 1) / alignment * alignment
    memory = .allocate(byteCount: count * stride, alignment: alignment)
  }

  @inlinable subscript(index: Int) -> Lane {
    Lane(state: (memory + index * stride).assumingMemoryBound(to: LaneState.self))
  }

  @inlinable func any(_ body: (Lane) -> Bool) -> Bool {
    for index in 0..<count where body(self[index]) { return true }
    return false
  }

  @inlinable func forEach(_ body: (Lane) -> Void) { for index in 0..<count { body(self[index]) } }

  @inlinable func map<Value>(_ transform: (Lane) -> Value) -> [Value] {
    Array(unsafeUninitializedCapacity: count) { values, made in
      for index in 0..<count {
        values.initializeElement(at: index, to: transform(self[index]))
        made += 1
      }
    }
  }

  @usableFromInline func release() {
    forEach { $0.destroy() }
    memory.deallocate()
  }
}

/// The subscriber of one source of a zip, which appends the source's values to a lane, the source's queue.
///
/// `@unchecked Sendable`: the lane lives as long as the `ZipRun`, which this subscriber retains.
@usableFromInline struct LaneInput<Input: Sendable, Downstream: Subscriber>: Subscriber, @unchecked Sendable {
  @usableFromInline let lane: Lane
  @usableFromInline let run: ZipRun<Downstream>

  @inlinable init(_ run: ZipRun<Downstream>, _ index: Int) {
    lane = run.lanes[index]
    self.run = run
  }

  @inlinable func receive(subscription: any Subscription) { run.send(.subscribed(lane, subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    lane.append(input)
    run.receiveValue()
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    run.send(completion.error.map { .failed(lane, $0) } ?? .finished(lane))
  }
  @inlinable func receive(last input: Input) {
    lane.append(input, isLast: true)
    run.receiveValue()
  }
}
