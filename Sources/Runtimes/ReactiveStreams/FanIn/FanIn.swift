import RuntimeSupport
import Synchronization

/// Brings the values of many publishers, started by an outer one, into one serial stream.
///
/// `entries` is the gate: the thread that raises it from zero owns the downstream and the list of slots until it is back at
/// zero; others leave their news in their slot and raise it. An inner publisher that finds the gate free sends straight
/// through. Inner publishers start outside the gate, in the outer publisher's own serial context. No lock is held.
///
/// An inner publisher gets requests for one value at a time and has at most one waiting. With unlimited demand, those that do
/// not wait get unlimited demand, too, and any number of values may wait.
///
/// `@unchecked Sendable`: variables belong to the gate, except `upstream` (written before the downstream sees the
/// subscription), `failure` (written by the one call that sets `stopped`, read after `failed`) and `total` (written before
/// `upstreamFinished`).
@usableFromInline final class FanIn<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline typealias Value = Downstream.Input
  @usableFromInline typealias Slot = FanInSlot<Downstream>
  @usableFromInline typealias Segment = FanInSegment<Downstream>

  /// No further inner publisher starts.
  @usableFromInline static var stopped: UInt8 { 1 }
  @usableFromInline static var failed: UInt8 { 2 }
  @usableFromInline static var cancelled: UInt8 { 4 }
  /// The outer publisher has finished, and `total` is known; its last inner publisher may be starting.
  @usableFromInline static var upstreamFinished: UInt8 { 8 }
  /// The outer publisher has failed, so it needs no cancellation.
  @usableFromInline static var upstreamFailed: UInt8 { 16 }
  /// The downstream has requested everything.
  @usableFromInline static var unlimited: UInt8 { 32 }
  /// The outer publisher has finished and starts nothing any more, so it needs no cancellation.
  @usableFromInline static var upstreamOver: UInt8 { 64 }
  /// The running publishers are being cancelled.
  @usableFromInline static var stopping: UInt8 { 128 }

  // Read by all, hardly ever written.
  @usableFromInline let flags = Atomic<UInt8>(0)
  /// Whether values come in the order of the outer values rather than as they arrive.
  @usableFromInline let keepsOrder: Bool
  @usableFromInline let maxPublishers: Subscribers.Demand
  /// `work`, specialised where the stream was made: `request` may be reached without the types.
  @usableFromInline let specializedWork: (FanIn, Int) -> Void
  @usableFromInline let quiescence = Quiescence()
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var failure: Downstream.Failure?
  @usableFromInline @exclusivity(unchecked) var total = 0

  /// Keeps the fields below, written for each value, in other cache lines than those above.
  @usableFromInline let distance: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

  @usableFromInline let entries = Atomic<Int>(1)
  @usableFromInline let requested = Atomic<Int>(0)
  /// Slots with news, latest first.
  @usableFromInline let news = Atomic<UnsafeMutableRawPointer?>(nil)
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// The earliest segment in use; `nil` before the start and after the end, because segments hold the fan-in.
  @usableFromInline @exclusivity(unchecked) var head: Segment?
  /// The slot whose turn it is and how many follow in its segment, when order is kept; `nil` after the last one.
  @usableFromInline @exclusivity(unchecked) var turn: Slot?
  @usableFromInline @exclusivity(unchecked) var turnsAfter = 0
  /// Slots with news, earliest first, when order is not kept.
  @usableFromInline @exclusivity(unchecked) var firstListed: Slot?
  @usableFromInline @exclusivity(unchecked) var lastListed: Slot?

  @inlinable init(_ downstream: Downstream, maxPublishers: Subscribers.Demand, keepsOrder: Bool) {
    self.downstream = downstream
    self.maxPublishers = maxPublishers
    self.keepsOrder = keepsOrder
    specializedWork = { $0.work($1) }
  }

  // MARK: The outer publisher

  /// Hands out the subscription; returns the segment to start in.
  @inlinable func begin(_ subscription: any Subscription) -> Segment {
    let first = Segment(self, capacity: 4)
    upstream = subscription
    downstream?.receive(subscription: self)
    // Before there is a segment: no inner publisher needs to get unlimited demand.
    takeDemand()
    head = first
    startTurns(in: first)
    leave(1)
    subscription.request(maxPublishers)
    return first
  }

  /// Records how many inner publishers there are, the last of which is about to start. True if nothing has ended the stream
  /// before: `leaveUpstream` must follow then.
  @inlinable func announce(total started: Int) -> Bool {
    total = started
    let old = flags.bitwiseOr(Self.upstreamFinished, ordering: .acquiringAndReleasing).oldValue
    return old & Self.stopping == 0
  }

  /// Records that the outer publisher is done. A stop meanwhile has waited for this.
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

  // MARK: The inner publishers

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

  /// Leaves a value for the thread inside the gate. Not inlined, which keeps the way straight through short.
  @inlinable @inline(never)
  func leaveNews(of slot: Slot, _ input: Value, _ bits: UInt = 0) { post(slot, keep(input, in: slot) | bits) }

  /// Puts a value into its slot, behind those that wait there; returns the bits to set. Drops a value that was not requested.
  @inlinable @inline(never) func keep(_ input: Value, in slot: Slot) -> UInt {
    let word = slot.load()
    if word & (Slot.holding | Slot.finished | Slot.letters) == 0 {
      slot.content.pointee.value = input
      return Slot.holding
    }
    if asksForAll, word & Slot.finished == 0 { slot.push(input) }
    return 0
  }

  /// Whether inner publishers that do not wait get unlimited demand.
  @inlinable var asksForAll: Bool { flags.load(ordering: .sequentiallyConsistent) & Self.unlimited != 0 }

  /// Lets the outer publisher go on after `count` inner ones have ended.
  @inlinable
  func replenish(_ count: Int) { if maxPublishers != .unlimited { upstream?.request(.max(count)) } }
}

/// The end, inside the gate.
extension FanIn {
  /// Ends everything, after a failure or a cancellation: first the outer publisher, unless it has finished; when that starts
  /// nothing any more, the inner ones; then the downstream.
  @usableFromInline func stop() {
    let old = flags.bitwiseOr(Self.stopping, ordering: .acquiringAndReleasing).oldValue
    if old & (Self.upstreamOver | Self.upstreamFailed) != 0 { return stopInners() }
    // The thread that starts the last inner publisher goes on from here.
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
    // A cancellation wins over a failure that has not been delivered.
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

  /// After a successful end every slot is settled, so there is nothing to destroy.
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
