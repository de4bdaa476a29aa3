import RuntimeSupport
import Synchronization

extension FanIn {
  @inlinable
  func tryEnter() -> Bool { entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged }

  /// Tells the thread that is sending that there is more to handle. If no thread is sending, handles it here.
  @inlinable func enter() {
    if entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 { specializedWork(self, 1) }
  }

  /// Lets other threads send, after this one has handled `seen` announcements of new values. If there are more, handles those.
  @inlinable func leave(_ seen: Int) {
    let rest = entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { specializedWork(self, rest) }
  }

  /// Called when an inner publisher has ended. Sends the values that waited for that, then lets other threads send.
  @inlinable func leaveAfterSettling() {
    if keepsOrder { sendInOrder() }
    if isOver { complete() } else { leave(1) }
  }

  /// Sets bits in an inner publisher's slot for the thread that is sending. If order is not kept, adds the slot to `news`.
  @inlinable func post(_ slot: Slot, _ bits: UInt) {
    let old = slot.set(keepsOrder ? bits : bits | Slot.listed)
    if !keepsOrder, old & Slot.listed == 0 {
      _ = news.change {
        slot.content.pointee.next = $0.map(Slot.init)
        return .some(slot.address)
      }
    }
    enter()
  }

  /// Handles all new values and ended inner publishers, then lets other threads send. After the stream ends, no thread can.
  @inlinable func work(_ entriesSeen: Int) {
    var seen = entriesSeen
    repeat {
      let state = flags.load(ordering: .acquiring)
      if state & (Self.failed | Self.cancelled) != 0 {
        // With unlimited demand, the values that arrived before the failure are still sent.
        if state & (Self.unlimited | Self.cancelled) == Self.unlimited { sendWaiting() }
        stop()
        return
      }
      takeDemand()
      sendWaiting()
      if isOver {
        complete()
        return
      }
      seen = entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen != 0
  }

  // MARK: Only for the one thread that is sending

  @inlinable func sendWaiting() {
    if keepsOrder { return sendInOrder() }
    takeNews()
    let ended = sendListed()
    if ended > 0 { replenish(ended) }
  }

  /// Whether waiting values are dropped: after a cancellation, and after a failure if demand is limited.
  @inlinable var hasStopped: Bool {
    let state = flags.load(ordering: .relaxed)
    return state & Self.cancelled != 0 || state & (Self.failed | Self.unlimited) == Self.failed
  }

  @inlinable
  var isOver: Bool { flags.load(ordering: .acquiring) & Self.upstreamFinished != 0 && settled == total }

  /// Whether the stream ends with the end of the only inner publisher that is left.
  @inlinable var endsNext: Bool {
    flags.load(ordering: .acquiring) & ~(Self.unlimited | Self.upstreamOver) == Self.upstreamFinished
      && settled + 1 == total
  }

  /// Sends the last value of the last inner publisher together with the end of the stream. There must be demand for that value.
  @inlinable func sendLast(_ value: Value, of slot: Slot) {
    var subscriber = downstream.take()
    settle(slot)
    subscriber?.receive(last: value)
  }

  @inlinable func takeDemand() {
    if requested.load(ordering: .relaxed) != 0, demand != .unlimited {
      add(Subscribers.Demand(rawCount: requested.exchange(0, ordering: .acquiringAndReleasing)))
    }
  }

  @inlinable func add(_ more: Subscribers.Demand) {
    if more == .none { return }
    demand += more
    if demand == .unlimited, !asksForAll { askForAll() }
  }

  /// Requests all values of inner publishers that do not wait for demand. Later subscriptions see the flag `unlimited`.
  @inlinable @inline(never) func askForAll() {
    _ = flags.bitwiseOr(Self.unlimited, ordering: .sequentiallyConsistent)
    var asked: [any Subscription] = []
    var segment = head
    while let current = segment {
      for index in 0..<current.capacity where current[index].isSubscribed {
        if let inner = current[index].content.pointee.subscription, !inner.waitsForDemand {
          asked.append(inner)
        }
      }
      segment = current.next
    }
    for inner in asked { inner.request(.unlimited) }
  }

  @inlinable func isNext(_ slot: Slot) -> Bool {
    if !keepsOrder { return true }
    if turn == nil { goToNextSegment() }
    return turn == slot
  }

  @inlinable func startTurns(in segment: Segment) {
    turn = segment[0]
    turnsAfter = segment.capacity - 1
  }

  /// Moves to the next segment (memory for several inner publishers), if any. All in the current one must have ended.
  @usableFromInline func goToNextSegment() {
    guard let current = head, current.next != nil, let next = current.detachFollowing() else { return }
    next.previous = nil
    current.isEmpty = true
    head = next
    startTurns(in: next)
  }

  @inlinable func maySend(_ slot: Slot) -> Bool {
    if demand == .none {
      // Values that already wait are sent before this one, so new demand is for them.
      if firstListed != nil { return false }
      takeDemand()
    }
    return demand != .none && isNext(slot)
      && flags.load(ordering: .relaxed) & (Self.failed | Self.cancelled) == 0
  }

  @inlinable func send(_ value: Value) {
    demand -= .max(1)
    if let more = downstream?.receive(value) { add(more) }
  }

  /// Sends the values in the linked list of an inner publisher. Values wait there only if demand is unlimited.
  @inlinable func sendLetters(of slot: Slot, in word: UInt) {
    if word & Slot.letters == 0 { return }
    slot.takeLetters(of: word) {
      if !hasStopped { send($0) }
    }
  }

  /// Sends the waiting values of an inner publisher that has ended, and counts the publisher as done. The stream's last value
  /// is sent together with the end.
  @inlinable func sendAll(_ value: Value?, of slot: Slot, in word: UInt) {
    var last = value
    if word & Slot.letters != 0 {
      slot.takeLetters(of: word) {
        if let earlier = last, !hasStopped { send(earlier) }
        last = $0
      }
    }
    if let last, !hasStopped {
      if endsNext { return sendLast(last, of: slot) }
      send(last)
    }
    settle(slot)
  }

  /// Sets bits in the slot of an inner publisher whose value has to wait for demand, or for the publishers before it.
  @inlinable func hold(_ bits: UInt, in slot: Slot) {
    if keepsOrder {
      _ = slot.set(bits)
    } else if slot.set(bits | Slot.listed) & Slot.listed == 0 {
      list(slot)
    }
  }

  @inlinable func list(_ slot: Slot) {
    slot.content.pointee.next = nil
    if let last = lastListed { last.content.pointee.next = slot } else { firstListed = slot }
    lastListed = slot
  }

  @inlinable func takeNews() {
    guard news.load(ordering: .relaxed) != nil else { return }
    var latest = news.exchange(nil, ordering: .acquiringAndReleasing).map(Slot.init)
    var earliest: Slot?
    while let slot = latest {
      latest = slot.content.pointee.next
      slot.content.pointee.next = earliest
      earliest = slot
    }
    while let slot = earliest {
      earliest = slot.content.pointee.next
      list(slot)
    }
  }

  /// Sends the waiting values of listed inner publishers as far as demand allows. Returns how many of these have ended.
  @inlinable func sendListed() -> Int {
    var ended = 0
    while let slot = firstListed {
      var old = slot.load()
      let isHolding = old & Slot.holding != 0
      if isHolding, demand == .none { return ended }
      let next = slot.content.pointee.next
      let value = isHolding ? slot.content.pointee.value.take() : nil
      let taken = Slot.holding | Slot.listed | Slot.letters
      if isHolding {
        old = slot.clear(taken)
      } else if !slot.clear(taken, from: old) {
        // Another thread has changed the slot's word, perhaps to announce a value. Clearing the bits would lose that value.
        continue
      }
      firstListed = next
      if firstListed == nil { lastListed = nil }
      if old & Slot.finished != 0 {
        sendAll(value, of: slot, in: old)
        ended += 1
      } else {
        if let value { send(value) }
        sendLetters(of: slot, in: old)
        slot.content.pointee.subscription?.request(.max(1))
      }
      if hasStopped { return ended }
    }
    return ended
  }

  /// Sends values in the order of the outer publisher's values, as far as demand allows.
  @inlinable func sendInOrder() {
    while !hasStopped {
      if turn == nil { goToNextSegment() }
      guard let slot = turn else { return }
      let bits = slot.load()
      if bits & (Slot.holding | Slot.letters) != 0 {
        guard demand != .none else { return }
        let value = bits & Slot.holding != 0 ? slot.content.pointee.value.take() : nil
        let old = slot.clear(Slot.holding | Slot.letters)
        if old & Slot.finished != 0 {
          sendAll(value, of: slot, in: old)
        } else {
          if let value { send(value) }
          sendLetters(of: slot, in: old)
          slot.content.pointee.subscription?.request(.max(1))
        }
      } else if bits & Slot.finished != 0 {
        settle(slot)
      } else {
        return
      }
    }
  }

  /// Counts an inner publisher as done: it has ended, and its values have been sent.
  @inlinable func settle(_ slot: Slot) {
    slot.content.pointee.subscription = nil
    settled += 1
    if keepsOrder {
      turn = turnsAfter == 0 ? nil : slot.following
      turnsAfter -= 1
    } else {
      let segment = slot.content.pointee.segment
      segment.settled += 1
      if segment.settled == segment.capacity { reclaim(segment) }
    }
  }

  /// Removes a segment (memory for several inner publishers) when all are done, except the last segment, which is still in use.
  @usableFromInline func reclaim(_ segment: Segment) {
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
}
