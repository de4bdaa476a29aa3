import Synchronization

/// Starts an inner publisher for each outer value. Its variables belong to the outer publisher's signals.
@usableFromInline
struct FanInOuter<Input: Sendable, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let transform: @Sendable (Input) -> Inner
  @usableFromInline var segment: FanInSegment<Downstream.Input>
  @usableFromInline var index = 0
  @usableFromInline var started = 0

  @inlinable
  init(_ fanIn: FanIn<Downstream>, _ transform: @escaping @Sendable (Input) -> Inner) {
    self.fanIn = fanIn
    self.transform = transform
    segment = fanIn.head
  }

  @inlinable mutating func receive(subscription: any Subscription) { fanIn.begin(subscription) }

  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    if index == segment.capacity {
      let next = FanInSegment<Downstream.Input>(capacity: min(2 * segment.capacity, 64))
      segment.link(next)
      segment = next
      index = 0
    }
    // After the link: a stop that did not see the new segment is seen here.
    if fanIn.flags.load(ordering: .sequentiallyConsistent) & FanIn<Downstream>.stopped != 0 { return .none }
    let slot = segment.slots + index
    index += 1
    started += 1
    transform(input).receive(subscriber: FanInInner(fanIn: fanIn, slot: slot))
    return .none
  }

  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: fanIn.finishUpstream(total: started)
    case .failure(let error): fanIn.fail(error)
    }
  }
}

/// `@unchecked Sendable`: the slot's segment outlives it: segments are only removed when their slots are
/// settled, which is after an inner publisher's last signal, and otherwise live as long as the fan-in.
@usableFromInline
struct FanInInner<Downstream: Subscriber>: Subscriber, @unchecked Sendable {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let slot: UnsafeMutablePointer<FanInSlot<Input>>

  @inlinable
  init(fanIn: FanIn<Downstream>, slot: UnsafeMutablePointer<FanInSlot<Input>>) {
    self.fanIn = fanIn
    self.slot = slot
  }

  @inlinable func receive(subscription: any Subscription) {
    slot.pointee.subscription = subscription
    let old = slot.pointee.set(FanInSlot<Input>.subscribed)
    if old & FanInSlot<Input>.cancelled != 0 {
      slot.pointee.subscription = nil
      subscription.cancel()
    } else {
      subscription.request(.max(1))
    }
  }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand { fanIn.receive(input, from: slot) }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: fanIn.finish(slot)
    case .failure(let error): fanIn.fail(error)
    }
  }
  @inlinable func receive(last input: Input) { fanIn.receive(last: input, from: slot) }
}
