import RuntimeSupport
import Synchronization

/// Merges the values of inner publishers, one for each value of an outer publisher, into one serial stream.
///
/// `entries` is a gate without a lock: the thread that increments it from zero is inside the gate until it is zero again. Only
/// this thread sends signals. Another thread stores the values and the end of its inner publisher in a slot. It then increments
/// `entries`, so that the thread inside the gate handles them.
///
/// Each inner publisher receives requests for one value at a time, so at most one of its values waits. With unlimited demand,
/// publishers that do not wait for demand receive unlimited demand, and any number of their values may wait.
///
/// `@unchecked Sendable`: only the thread inside the gate touches variables, except `upstream` (written before the downstream
/// sees the subscription), `failure` (written by the one call that sets `stopped`, read after `failed`) and `total` (written
/// before `upstreamFinished`).
@usableFromInline final class FanIn<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline typealias Value = Downstream.Input
  @usableFromInline typealias Slot = FanInSlot<Downstream>
  @usableFromInline typealias Segment = FanInSegment<Downstream>

  /// The flag of a failed or cancelled stream: no further inner publisher starts.
  @usableFromInline static var stopped: UInt8 { 1 }
  @usableFromInline static var failed: UInt8 { 2 }
  @usableFromInline static var cancelled: UInt8 { 4 }
  /// Set when the outer publisher has finished, so that `total` is known. The last inner publisher may still be starting.
  @usableFromInline static var upstreamFinished: UInt8 { 8 }
  /// Set when the outer publisher has failed, so that it need not be cancelled.
  @usableFromInline static var upstreamFailed: UInt8 { 16 }
  /// Set when the downstream's demand is unlimited.
  @usableFromInline static var unlimited: UInt8 { 32 }
  /// Set when the outer publisher has finished and all inner publishers have started. Then only these need to be cancelled.
  @usableFromInline static var upstreamOver: UInt8 { 64 }
  /// Set when the running publishers are being cancelled.
  @usableFromInline static var stopping: UInt8 { 128 }

  // All threads read the fields from here to `distance`, and these fields rarely change.
  @usableFromInline let flags = Atomic<UInt8>(0)
  /// Whether values are sent in the order of the outer publisher's values, not in the order of arrival.
  @usableFromInline let keepsOrder: Bool
  @usableFromInline let maxPublishers: Subscribers.Demand
  /// Calls `work` in code specialised for the stream's types. A call through `any Subscription` would run generic code.
  @usableFromInline let specializedWork: (FanIn, Int) -> Void
  @usableFromInline let quiescence = Quiescence()
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var failure: Downstream.Failure?
  @usableFromInline @exclusivity(unchecked) var total = 0

  /// Padding: the fields below, which change with each value, lie in other cache lines than the fields above.
  @usableFromInline let distance: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

  @usableFromInline let entries = Atomic<Int>(1)
  @usableFromInline let requested = Atomic<Int>(0)
  /// A linked list of slots whose inner publishers have sent or ended since the last look, latest first. Any thread adds to it.
  @usableFromInline let news = Atomic<UnsafeMutableRawPointer?>(nil)
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// The first segment (memory for inner publishers). `nil` before the start and after the end: segments retain this object.
  @usableFromInline @exclusivity(unchecked) var head: Segment?
  /// If order is kept, the slot whose inner publisher is next, or `nil` after a segment's last slot. `turnsAfter` more follow.
  @usableFromInline @exclusivity(unchecked) var turn: Slot?
  @usableFromInline @exclusivity(unchecked) var turnsAfter = 0
  /// If order is not kept, a linked list of slots whose inner publishers have sent or ended, earliest first.
  @usableFromInline @exclusivity(unchecked) var firstListed: Slot?
  @usableFromInline @exclusivity(unchecked) var lastListed: Slot?

  @inlinable init(_ downstream: Downstream, maxPublishers: Subscribers.Demand, keepsOrder: Bool) {
    self.downstream = downstream
    self.maxPublishers = maxPublishers
    self.keepsOrder = keepsOrder
    specializedWork = { $0.work($1) }
  }

  // MARK: Signals of the outer publisher

  /// Passes this subscription to the downstream. Returns the segment, the memory for the first inner publishers.
  @inlinable func begin(_ subscription: any Subscription) -> Segment {
    let first = Segment(self, capacity: 4)
    upstream = subscription
    downstream?.receive(subscription: self)
    // Called before any inner publisher can start, so that unlimited demand need not be passed on to one.
    takeDemand()
    head = first
    startTurns(in: first)
    leave(1)
    subscription.request(maxPublishers)
    return first
  }

  /// Records the number of inner publishers, before the last one starts. Returns false if the stream is being stopped;
  /// otherwise the caller must call `leaveUpstream`.
  @inlinable func announce(total started: Int) -> Bool {
    total = started
    let old = flags.bitwiseOr(Self.upstreamFinished, ordering: .acquiringAndReleasing).oldValue
    return old & Self.stopping == 0
  }

  /// Records that all inner publishers have started. If the stream was stopped meanwhile, cancels them.
  @inlinable func leaveUpstream() {
    let old = flags.bitwiseOr(Self.upstreamOver, ordering: .acquiringAndReleasing).oldValue
    if old & Self.stopping != 0 { stopInners() }
  }

  @inlinable func finishUpstream(total started: Int) {
    if announce(total: started) { leaveUpstream() }
    enter()
  }

  @inlinable func failUpstream(_ error: Downstream.Failure) {
    _ = flags.bitwiseOr(Self.upstreamFailed, ordering: .acquiringAndReleasing)
    fail(error)
  }

  @inlinable func fail(_ error: Downstream.Failure) {
    let old = flags.bitwiseOr(Self.stopped, ordering: .sequentiallyConsistent).oldValue
    guard old & Self.stopped == 0 else { return }
    failure = error
    _ = flags.bitwiseOr(Self.failed, ordering: .acquiringAndReleasing)
    enter()
  }

  // MARK: Signals of the inner publishers

  @inlinable func receive(_ input: Value, from slot: Slot) -> Subscribers.Demand {
    guard tryEnter() else {
      leaveNews(of: slot, input)
      return .none
    }
    guard maySend(slot) else {
      hold(keep(input, in: slot), in: slot)
      leave(1)
      return .none
    }
    send(input)
    leave(1)
    return .max(1)
  }

  @inlinable func receive(last input: Value, from slot: Slot) {
    guard tryEnter() else {
      leaveNews(of: slot, input, Slot.finished)
      if keepsOrder { replenish(1) }
      return
    }
    guard maySend(slot) else {
      hold(keep(input, in: slot) | Slot.finished, in: slot)
      leave(1)
      if keepsOrder { replenish(1) }
      return
    }
    if endsNext {
      sendLast(input, of: slot)
      closeDown()
      return
    }
    send(input)
    settle(slot)
    leaveAfterSettling()
    replenish(1)
  }

  @inlinable func finish(_ slot: Slot) {
    if tryEnter() {
      let isHolding = slot.set(Slot.finished) & (Slot.holding | Slot.letters) != 0
      let settles = !isHolding && isNext(slot)
      if settles {
        settle(slot)
        leaveAfterSettling()
      } else {
        leave(1)
      }
      if settles || keepsOrder { replenish(1) }
    } else {
      post(slot, Slot.finished)
      if keepsOrder { replenish(1) }
    }
  }

  /// Stores a value for the thread that is sending. Not inlined, to keep the code of the usual case short.
  @inlinable @inline(never)
  func leaveNews(of slot: Slot, _ input: Value, _ bits: UInt = 0) { post(slot, keep(input, in: slot) | bits) }

  /// Stores a value behind those that wait, or drops a value that was not requested. Returns the bits to set in the slot.
  @inlinable @inline(never) func keep(_ input: Value, in slot: Slot) -> UInt {
    let word = slot.load()
    if word & (Slot.holding | Slot.finished | Slot.letters) == 0 {
      slot.content.pointee.value = input
      return Slot.holding
    }
    if asksForAll, word & Slot.finished == 0 { slot.push(input) }
    return 0
  }

  /// Whether inner publishers that do not wait for demand receive unlimited demand.
  @inlinable var asksForAll: Bool { flags.load(ordering: .sequentiallyConsistent) & Self.unlimited != 0 }

  /// Requests `count` more values from the outer publisher, because that many inner publishers have ended.
  @inlinable
  func replenish(_ count: Int) { if maxPublishers != .unlimited { upstream?.request(.max(count)) } }
}

// Methods that end the stream, for the one thread that is sending.
extension FanIn {
  /// Ends the stream after a failure or a cancellation. Cancels the outer publisher, then the inner publishers, because no more
  /// can start, and then sends the failure.
  @usableFromInline func stop() {
    let old = flags.bitwiseOr(Self.stopping, ordering: .acquiringAndReleasing).oldValue
    if old & (Self.upstreamOver | Self.upstreamFailed) != 0 { return stopInners() }
    // The thread that is starting the last inner publisher cancels all inner publishers afterwards.
    if old & Self.upstreamFinished != 0 { return }
    if let upstream { upstream.cancel { self.stopInners() } } else { stopInners() }
  }

  @usableFromInline func stopInners() {
    var running: [(any Subscription)?] = []
    var segment: Segment? = head
    while let current = segment {
      for index in 0..<current.capacity {
        let slot = current[index]
        let old = slot.set(Slot.cancelled)
        if old & Slot.subscribed != 0, let inner = slot.content.pointee.subscription.take(),
          old & Slot.finished == 0
        {
          running.append(inner)
        }
      }
      segment = current.next
    }
    cancelAll(running) {
      self.head = nil
      self.sendFailure()
    }
  }

  @usableFromInline func sendFailure() {
    var subscriber = downstream.take()
    if flags.load(ordering: .acquiring) & Self.cancelled == 0, let failure {
      subscriber?.receive(completion: .failure(failure))
    }
    quiescence.declareOver()
  }

  @inlinable func complete() {
    var subscriber = downstream.take()
    subscriber?.receive(completion: .finished)
    closeDown()
  }

  /// Releases the memory for inner publishers, which has no contents after a successful end.
  @inlinable func closeDown() {
    var segment: Segment? = head
    while let current = segment {
      current.isEmpty = true
      segment = current.next
    }
    head = nil
    quiescence.declareOver()
  }
}

extension FanIn: QuiescentSubscription {
  @inlinable func request(_ asked: Subscribers.Demand) {
    guard asked > .none else { return }
    requested.add(asked)
    enter()
  }

  @inlinable func cancel() {
    let set = Self.stopped | Self.cancelled
    let old = flags.bitwiseOr(set, ordering: .sequentiallyConsistent).oldValue
    if old & Self.cancelled == 0 { enter() }
  }
}
