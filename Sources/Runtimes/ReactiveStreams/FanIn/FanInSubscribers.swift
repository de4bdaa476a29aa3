import Synchronization

/// Starts an inner publisher for each outer value. Its variables belong to the outer publisher's signals.
@usableFromInline
struct FanInOuter<Input: Sendable, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let transform: @Sendable (Input) -> Inner
  /// The segment that is being filled; `nil` before the subscription.
  @usableFromInline var segment: FanInSegment<Downstream>?
  @usableFromInline var index = 0
  @usableFromInline var started = 0

  @inlinable
  init(_ fanIn: FanIn<Downstream>, _ transform: @escaping @Sendable (Input) -> Inner) {
    self.fanIn = fanIn
    self.transform = transform
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    guard segment == nil else { return subscription.cancel() }
    segment = fanIn.begin(subscription)
  }

  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    if index == segment?.capacity { extend() }
    // After the link: a stop that did not see the new segment is seen here.
    if fanIn.flags.load(ordering: .sequentiallyConsistent) & FanIn<Downstream>.stopped != 0 { return .none }
    guard let segment else { return .none }
    let slot = segment[index]
    index += 1
    started += 1
    transform(input).receive(subscriber: FanInInner(segment: segment, slot: slot))
    return .none
  }

  @inlinable mutating func extend() {
    let next = FanInSegment(fanIn, capacity: FanInSegment<Downstream>.largestCapacity)
    segment?.link(next)
    segment = next
    index = 0
  }

  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: fanIn.finishUpstream(total: started)
    case .failure(let error): fanIn.failUpstream(error)
    }
  }
}

/// Reports to the fan-in from one inner publisher. It holds the segment that its slot lies in.
@usableFromInline
struct FanInInner<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let segment: FanInSegment<Downstream>
  @usableFromInline let slot: FanInSlot<Downstream>

  @inlinable
  init(segment: FanInSegment<Downstream>, slot: FanInSlot<Downstream>) {
    self.segment = segment
    self.slot = slot
  }

  @inlinable func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand {
    slot.content.pointee.subscription = subscription
    if slot.set(FanInSlot<Downstream>.subscribed) & FanInSlot<Downstream>.cancelled == 0 { return .max(1) }
    slot.content.pointee.subscription.take()?.cancel()
    return .none
  }
  @inlinable func receive(subscription: any Subscription) {
    let demand = receive(starting: subscription)
    if demand > .none { subscription.request(demand) }
  }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand { segment.fanIn.receive(input, from: slot) }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: segment.fanIn.finish(slot)
    case .failure(let error): segment.fanIn.fail(error)
    }
  }
  @inlinable func receive(last input: Input) { segment.fanIn.receive(last: input, from: slot) }
}
