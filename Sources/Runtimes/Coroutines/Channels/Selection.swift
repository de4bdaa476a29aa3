import RuntimeSupport
import Synchronization

/// One run of a `select`.
@usableFromInline struct Selection {
  private let clauses: [AnySelectClause]
  private var channelCount = 0
  private var fallbackIndex: Int?
  private var timeout: (index: Int, duration: Duration, timer: CoTimer)?

  /// Returns the place of the clause that was carried out, or is to be. Its body is next.
  @usableFromInline static func run(_ clauses: [AnySelectClause], at site: AwaitSite) throws -> Int {
    _ = try ChannelTicket.checkCancellation()
    let selection = Selection(clauses)
    return try withUnsafeTemporaryAllocation(of: Int.self, capacity: clauses.count) { room in
      let order = selection.shuffledChannels(in: room)
      if let index = selection.attemptEach(order) { return index }
      if let fallbackIndex = selection.fallbackIndex { return fallbackIndex }
      return try selection.wait(order, at: site)
    }
  }

  private init(_ clauses: [AnySelectClause]) {
    precondition(!clauses.isEmpty, "a select without clauses would wait for ever")
    self.clauses = clauses
    for (index, clause) in clauses.enumerated() {
      switch clause {
      case .channel(let clause):
        channelCount += 1
        clause.end = nil
      case .fallback: fallbackIndex = index
      case .timeout(let duration, let timer):
        if timeout.map({ duration < $0.duration }) ?? true { timeout = (index, duration, timer) }
      }
    }
  }

  /// The places of the channels' clauses in random order (Fisher and Yates): each of those that are ready has the same chance,
  /// wherever the others stand.
  private func shuffledChannels(in room: UnsafeMutableBufferPointer<Int>) -> Slice<
    UnsafeMutableBufferPointer<Int>
  > {
    var number = SplitMix64.mix(selectionCount.wrappingAdd(SplitMix64.step, ordering: .relaxed).newValue)
    var count = 0
    for case (let index, .channel) in clauses.enumerated() {
      var place = count
      if count > 0 {
        number &+= SplitMix64.step
        place = Int(SplitMix64.mix(number) % UInt64(count + 1))
        room.initializeElement(at: count, to: room[place])
      }
      room.initializeElement(at: place, to: index)
      count += 1
    }
    return room[..<count]
  }

  /// Carries out the first that can be, locking one channel at a time.
  private func attemptEach(_ order: Slice<UnsafeMutableBufferPointer<Int>>) -> Int? {
    for index in order {
      guard case .channel(let clause) = clauses[index] else { continue }
      clause(.lock)
      let isDone = clause(.attempt)
      clause(.unlock)
      if isDone {
        wake(clause)
        return index
      }
    }
    return nil
  }

  private func wake(_ clause: ChannelClause) {
    if let wake = clause.wake {
      clause.wake = nil
      wake()
    }
  }

  /// Waits with all clauses at once. Until it is in every list nobody may find it in one: it could be served there and serve
  /// another. So all channels are locked meanwhile, in the order of their addresses, against deadlock.
  private func wait(_ order: Slice<UnsafeMutableBufferPointer<Int>>, at site: AwaitSite) throws -> Int {
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: clauses.count)
    defer { waiters.deallocate() }
    for case .channel(let clause) in clauses {
      precondition(clause.slot == nil, "one clause cannot stand twice in a select")
      clause(.makeSlot)
    }
    let locked = channelsByAddress()
    for clause in locked { clause(.lock) }
    for index in order {
      guard case .channel(let clause) = clauses[index], clause(.attempt) else { continue }
      for clause in locked { clause(.unlock) }
      drop(except: nil)
      wake(clause)
      return index
    }
    var ticket = ChannelTicket(at: site)
    let isCancelled = withUnsafeMutablePointer(to: &ticket) { ticket in
      for case (let index, .channel(let clause)) in clauses.enumerated() {
        let waiter = waiters + index
        waiter.initialize(to: ChannelWaiter(ticket: ticket, index: index, slot: clause.slot!))
        clause.waiter = waiter
        clause(.enlist)
      }
      for clause in locked { clause(.unlock) }
      let isCancelled = park(ticket)
      for case (let index, .channel(let clause)) in clauses.enumerated()
      where index != ticket.pointee.servedIndex {
        clause(.lock)
        clause(.withdraw)
        clause(.unlock)
      }
      return isCancelled
    }
    drop(except: ticket.servedIndex)
    if isCancelled { throw CancellationError() }
    // If neither a channel nor a cancellation has ended it, the timer has.
    guard let index = ticket.servedIndex, case .channel(let clause) = clauses[index] else {
      return timeout!.index
    }
    clause.end = ticket.end
    clause(.takeSlot)
    clause.slot = nil
    return index
  }

  private func park(_ ticket: UnsafeMutablePointer<ChannelTicket>) -> Bool {
    let suspension = ticket.pointee.suspension
    guard let (_, duration, timer) = timeout else { return suspension.park() }
    var entry = TimerEntry(
      deadlineNanoseconds: timer.deadlineNanoseconds(after: duration), action: .resume(suspension))
    return withUnsafeMutablePointer(to: &entry) { entry in
      timer.insert(entry)
      defer { timer.remove(entry) }
      return suspension.park()
    }
  }

  /// A clause for each channel. There are few, and insertion needs no more memory.
  private func channelsByAddress() -> [ChannelClause] {
    var sorted: [ChannelClause] = []
    sorted.reserveCapacity(channelCount)
    for case .channel(let clause) in clauses {
      let place = sorted.firstIndex { $0.channelAddress >= clause.channelAddress } ?? sorted.count
      if place < sorted.count, sorted[place].channelAddress == clause.channelAddress { continue }
      sorted.insert(clause, at: place)
    }
    return sorted
  }

  private func drop(except served: Int?) {
    for case (let index, .channel(let clause)) in clauses.enumerated() where index != served {
      clause(.dropSlot)
      clause.slot = nil
    }
  }
}

/// Mixed, it has no pattern that two selects in turn could keep step with.
private let selectionCount = Atomic<UInt64>(0)
