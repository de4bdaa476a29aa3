import Synchronization

/// One run of a `select`.
@usableFromInline struct Selection {
  /// The clauses that exchange something, and their places among all.
  private var channels: [(clause: ChannelClause, index: Int)] = []
  private var fallbackIndex: Int?
  private var timeout: (clause: TimeoutClause, index: Int)?

  /// Returns the place of the clause that was carried out, or is to be. Its body is next.
  @usableFromInline static func run(_ clauses: [AnySelectClause], at site: AwaitSite) throws -> Int {
    _ = try ChannelTicket.checkCancellation()
    let selection = Selection(clauses)
    let start = selection.startOfRound()
    if let index = selection.attemptEach(from: start) { return index }
    if let fallbackIndex = selection.fallbackIndex { return fallbackIndex }
    return try selection.wait(from: start, at: site)
  }

  private init(_ clauses: [AnySelectClause]) {
    precondition(!clauses.isEmpty, "a select without clauses would wait for ever")
    channels.reserveCapacity(clauses.count)
    for (index, clause) in clauses.enumerated() {
      if let clause = clause as? ChannelClause {
        clause.end = nil
        channels.append((clause, index))
      } else if let clause = clause as? TimeoutClause {
        if timeout.map({ clause.duration < $0.clause.duration }) ?? true { timeout = (clause, index) }
      } else {
        fallbackIndex = index
      }
    }
  }

  /// The first to be tried, so that no clause is starved by another.
  private func startOfRound() -> Int {
    channels.count > 1 ? Int(selectionSeed.next() % UInt64(channels.count)) : 0
  }

  /// Carries out the first that can be, locking one channel at a time.
  private func attemptEach(from start: Int) -> Int? {
    for offset in channels.indices {
      let (clause, index) = channels[(start + offset) % channels.count]
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

  /// Waits with all clauses at once. Until it is in every list nobody may find it in one, because it could be served there
  /// and serve another: so all channels are locked meanwhile, in the order of their addresses, which no two runs can
  /// block each other with.
  private func wait(from start: Int, at site: AwaitSite) throws -> Int {
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: channels.count)
    defer { waiters.deallocate() }
    for (clause, _) in channels {
      precondition(clause.slot == nil, "one clause cannot stand twice in a select")
      clause(.makeSlot)
    }
    let locked = channelsByAddress()
    for clause in locked { clause(.lock) }
    for offset in channels.indices {
      let (clause, index) = channels[(start + offset) % channels.count]
      guard clause(.attempt) else { continue }
      for clause in locked { clause(.unlock) }
      drop(except: nil)
      wake(clause)
      return index
    }
    var ticket = ChannelTicket(at: site)
    let isCancelled = withUnsafeMutablePointer(to: &ticket) { ticket in
      for (place, (clause, _)) in channels.enumerated() {
        let waiter = waiters + place
        waiter.initialize(to: ChannelWaiter(ticket: ticket, index: place, slot: clause.slot!))
        clause.waiter = waiter
        clause(.enlist)
      }
      for clause in locked { clause(.unlock) }
      let isCancelled = park(ticket)
      for (place, (clause, _)) in channels.enumerated() where place != ticket.pointee.servedIndex {
        clause(.lock)
        clause(.withdraw)
        clause(.unlock)
      }
      return isCancelled
    }
    drop(except: ticket.servedIndex)
    if isCancelled { throw CancellationError() }
    // If neither a channel nor a cancellation has ended it, the timer has.
    guard let place = ticket.servedIndex else { return timeout!.index }
    let (clause, index) = channels[place]
    clause.end = ticket.end
    clause(.takeSlot)
    clause.slot = nil
    return index
  }

  private func park(_ ticket: UnsafeMutablePointer<ChannelTicket>) -> Bool {
    guard let timeout = timeout?.clause else { return ticket.park() }
    var entry = TimerEntry(
      deadlineNanoseconds: timeout.timer.deadlineNanoseconds(after: timeout.duration),
      action: .resume(ticket.pointee.fiber, epoch: ticket.pointee.epoch))
    return withUnsafeMutablePointer(to: &entry) { entry in
      timeout.timer.insert(entry)
      let isCancelled = ticket.park()
      timeout.timer.remove(entry)
      return isCancelled
    }
  }

  /// A clause for each channel. There are few, and insertion needs no more memory.
  private func channelsByAddress() -> [ChannelClause] {
    var sorted: [ChannelClause] = []
    sorted.reserveCapacity(channels.count)
    for (clause, _) in channels {
      let place = sorted.firstIndex { $0.channelAddress >= clause.channelAddress } ?? sorted.count
      if place < sorted.count, sorted[place].channelAddress == clause.channelAddress { continue }
      sorted.insert(clause, at: place)
    }
    return sorted
  }

  private func drop(except served: Int?) {
    for (place, (clause, _)) in channels.enumerated() where place != served {
      clause(.dropSlot)
      clause.slot = nil
    }
  }
}

private let selectionSeed = SelectionSeed()

/// Numbers without a pattern that two selects in turn could keep step with.
private final class SelectionSeed: Sendable {
  private let count = Atomic<UInt64>(0)

  /// The counter through the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
  func next() -> UInt64 {
    var bits = count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
