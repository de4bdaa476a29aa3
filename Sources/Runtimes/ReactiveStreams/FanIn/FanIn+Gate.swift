import Synchronization

extension FanIn {
  @inlinable
  func tryEnter() -> Bool {
    entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  /// Raises the gate and does its work if nobody else is there to.
  @inlinable
  func enter() {
    if entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 { specializedWork(self, 1) }
  }

  /// Steps out after having seen `seen` entries; works on if more came.
  @inlinable
  func leave(_ seen: Int) {
    let rest = entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { specializedWork(self, rest) }
  }

  /// Steps out after an inner publisher has ended: the next in order may have been waiting for that.
  @inlinable
  func leaveAfterSettling() {
    if keepsOrder { sendInOrder() }
    if isOver { complete() } else { leave(1) }
  }

  /// Leaves news in a slot for whoever is at the gate.
  @inlinable
  func post(_ slot: Slot, _ bits: UInt8) {
    let old = slot.pointee.set(keepsOrder ? bits : bits | FanInSlot<Value>.listed)
    if !keepsOrder, old & FanInSlot<Value>.listed == 0 {
      var first = news.load(ordering: .relaxed)
      while true {
        slot.pointee.next = first
        let result = news.weakCompareExchange(expected: first, desired: slot, ordering: .releasing)
        if result.exchanged { break }
        first = result.original
      }
    }
    enter()
  }

  /// Does everything there is to do, until no new entry has come meanwhile.
  ///
  /// Never steps out once the stream is over, so that nobody gets in any more.
  @inlinable
  func work(_ entriesSeen: Int) {
    var seen = entriesSeen
    repeat {
      let state = flags.load(ordering: .acquiring)
      if state & (Self.failed | Self.cancelled) != 0 {
        stop()
        return
      }
      takeDemand()
      if keepsOrder {
        sendInOrder()
      } else {
        takeNews()
        let ended = sendListed()
        if ended > 0 { replenish(ended) }
      }
      if isOver {
        complete()
        return
      }
      seen = entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen != 0
  }

  // MARK: Inside the gate

  @inlinable
  var isOver: Bool {
    flags.load(ordering: .acquiring) & Self.upstreamFinished != 0 && settled == total
  }

  @inlinable
  func takeDemand() {
    if requested.load(ordering: .relaxed) != 0, demand != .unlimited {
      demand += Subscribers.Demand(rawCount: requested.exchange(0, ordering: .acquiringAndReleasing))
    }
  }

  @inlinable
  func isNext(_ slot: Slot) -> Bool {
    !keepsOrder || (headIndex < head.capacity && slot == head.slots + headIndex)
  }

  @inlinable
  func maySend(_ slot: Slot) -> Bool {
    if demand == .none { takeDemand() }
    return demand != .none && isNext(slot)
      && flags.load(ordering: .relaxed) & (Self.failed | Self.cancelled) == 0
  }

  @inlinable
  func send(_ value: Value) {
    demand -= .max(1)
    if let more = downstream?.receive(value) { demand += more }
  }

  /// Keeps a value that may not be sent yet.
  @inlinable
  func hold(_ value: Value, in slot: Slot, finished: Bool) {
    slot.pointee.value = value
    var bits = FanInSlot<Value>.holding
    if finished { bits |= FanInSlot<Value>.finished }
    if keepsOrder {
      _ = slot.pointee.set(bits)
    } else {
      _ = slot.pointee.set(bits | FanInSlot<Value>.listed)
      list(slot)
    }
  }

  @inlinable
  func list(_ slot: Slot) {
    slot.pointee.next = nil
    if let last = lastListed { last.pointee.next = slot } else { firstListed = slot }
    lastListed = slot
  }

  @inlinable
  func takeNews() {
    guard news.load(ordering: .relaxed) != nil else { return }
    var latest = news.exchange(nil, ordering: .acquiringAndReleasing)
    var earliest: Slot?
    while let slot = latest {
      latest = slot.pointee.next
      slot.pointee.next = earliest
      earliest = slot
    }
    while let slot = earliest {
      earliest = slot.pointee.next
      list(slot)
    }
  }

  /// Sends values that wait in listed slots as demand allows; returns how many inner publishers ended.
  @inlinable
  func sendListed() -> Int {
    var ended = 0
    while let slot = firstListed {
      let isHolding = slot.pointee.bits.load(ordering: .acquiring) & FanInSlot<Value>.holding != 0
      if isHolding, demand == .none { return ended }
      firstListed = slot.pointee.next
      if firstListed == nil { lastListed = nil }
      let value = isHolding ? slot.pointee.value.take() : nil
      let old = slot.pointee.clear(FanInSlot<Value>.holding | FanInSlot<Value>.listed)
      if let value { send(value) }
      if old & FanInSlot<Value>.finished != 0 {
        settle(slot)
        ended += 1
      } else {
        slot.pointee.subscription?.request(.max(1))
      }
      if flags.load(ordering: .relaxed) & (Self.failed | Self.cancelled) != 0 { return ended }
    }
    return ended
  }

  /// Sends the values whose turn it is as demand allows.
  @inlinable
  func sendInOrder() {
    while flags.load(ordering: .relaxed) & (Self.failed | Self.cancelled) == 0 {
      if headIndex == head.capacity {
        guard head.next != nil, let next = head.detachFollowing() else { return }
        next.previous = nil
        head.isEmpty = true
        head = next
        headIndex = 0
      }
      let slot = head.slots + headIndex
      let bits = slot.pointee.bits.load(ordering: .acquiring)
      if bits & FanInSlot<Value>.holding != 0 {
        guard demand != .none, let value = slot.pointee.value.take() else { return }
        let old = slot.pointee.clear(FanInSlot<Value>.holding)
        send(value)
        if old & FanInSlot<Value>.finished != 0 {
          settle(slot)
        } else {
          slot.pointee.subscription?.request(.max(1))
        }
      } else if bits & FanInSlot<Value>.finished != 0 {
        settle(slot)
      } else {
        return
      }
    }
  }

  /// Accounts for an inner publisher that has ended and has nothing left to send.
  @inlinable
  func settle(_ slot: Slot) {
    slot.pointee.subscription = nil
    settled += 1
    if keepsOrder {
      headIndex += 1
    } else {
      let segment = slot.pointee.segment
      segment.settled += 1
      if segment.settled == segment.capacity { reclaim(segment) }
    }
  }

  /// Takes a segment out of the list whose slots are all settled, unless the outer publisher still uses it.
  @usableFromInline
  func reclaim(_ segment: Segment) {
    let previous = segment.previous
    if segment.next != nil, let next = segment.detachFollowing() {
      segment.isEmpty = true
      next.previous = previous
      if let previous {
        _ = previous.detachFollowing()
        previous.link(next)
      } else {
        head = next
      }
    }
    if let previous, previous.settled == previous.capacity { reclaim(previous) }
  }

  /// Ends everything, after a failure or a cancellation: first the outer publisher, and when that is starting
  /// nothing any more, the inner ones; then the downstream hears of it.
  @usableFromInline
  func stop() {
    guard let upstream else { return stopInners() }
    upstream.cancel { self.stopInners() }
  }

  @usableFromInline
  func stopInners() {
    var running: [any Subscription] = []
    var segment: Segment? = head
    while let current = segment {
      for index in 0..<current.capacity {
        let slot = current.slots + index
        let old = slot.pointee.set(FanInSlot<Value>.cancelled)
        if old & FanInSlot<Value>.subscribed != 0, let inner = slot.pointee.subscription.take() {
          running.append(inner)
        }
      }
      segment = current.next
    }
    let countdown = Countdown(running.count + 1) { self.sendFailure() }
    for inner in running { inner.cancel { countdown.arrive() } }
    countdown.arrive()
  }

  @usableFromInline
  func sendFailure() {
    var subscriber = downstream.take()
    // A cancellation wins over a failure that nobody has heard of yet.
    if flags.load(ordering: .acquiring) & Self.cancelled == 0, let failure {
      subscriber?.receive(completion: .failure(failure))
    }
    quiescence.declareOver()
  }

  @inlinable
  func complete() {
    var subscriber = downstream.take()
    subscriber?.receive(completion: .finished)
    closeDown()
  }

  /// After a successful end, every slot is settled: none has anything left to destroy.
  @inlinable
  func closeDown() {
    var segment: Segment? = head
    while let current = segment {
      current.isEmpty = true
      segment = current.next
    }
    quiescence.declareOver()
  }
}
