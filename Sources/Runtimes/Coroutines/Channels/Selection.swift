import RuntimeSupport
import Synchronization

/// One run of a `select`.
@usableFromInline struct Selection {
  private let clauses: [AnySelectClause]
  private var channelCount = 0
  private var fallbackIndex: Int?
  private var timeoutIndex: Int?

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
    self.clauses = clauses
    for (index, clause) in clauses.enumerated() {
      switch clause.kind {
      case .channel:
        channelCount += 1
        channel(index)!.end = nil
      case .fallback: fallbackIndex = index
      case .timeout:
        if timeoutIndex.map({ timeout(index).duration < timeout($0).duration }) ?? true {
          timeoutIndex = index
        }
      }
    }
  }

  /// The clause at a place, if it exchanges something.
  private func channel(_ index: Int) -> ChannelClause? {
    clauses[index].kind == .channel ? unsafeDowncast(clauses[index], to: ChannelClause.self) : nil
  }

  private func timeout(_ index: Int) -> TimeoutClause {
    unsafeDowncast(clauses[index], to: TimeoutClause.self)
  }

  /// The place of the first to be tried: each of the channels' has the same chance, so none is starved by another.
  private func startOfRound() -> Int {
    var place = channelCount > 1 ? Int(selectionSeed.next() % UInt64(channelCount)) : 0
    for (index, clause) in clauses.enumerated() where clause.kind == .channel {
      if place == 0 { return index }
      place -= 1
    }
    return 0
  }

  /// The place that comes so many after the start, around the end.
  private func index(_ offset: Int, after start: Int) -> Int {
    let index = start + offset
    return index < clauses.count ? index : index - clauses.count
  }

  /// Carries out the first that can be, locking one channel at a time.
  private func attemptEach(from start: Int) -> Int? {
    for offset in clauses.indices {
      let index = index(offset, after: start)
      guard let clause = channel(index) else { continue }
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
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: clauses.count)
    defer { waiters.deallocate() }
    for index in clauses.indices {
      guard let clause = channel(index) else { continue }
      precondition(clause.slot == nil, "one clause cannot stand twice in a select")
      clause(.makeSlot)
    }
    let locked = channelsByAddress()
    for clause in locked { clause(.lock) }
    for offset in clauses.indices {
      let index = index(offset, after: start)
      guard let clause = channel(index), clause(.attempt) else { continue }
      for clause in locked { clause(.unlock) }
      drop(except: nil)
      wake(clause)
      return index
    }
    var ticket = ChannelTicket(at: site)
    let isCancelled = withUnsafeMutablePointer(to: &ticket) { ticket in
      for index in clauses.indices {
        guard let clause = channel(index) else { continue }
        let waiter = waiters + index
        waiter.initialize(to: ChannelWaiter(ticket: ticket, index: index, slot: clause.slot!))
        clause.waiter = waiter
        clause(.enlist)
      }
      for clause in locked { clause(.unlock) }
      let isCancelled = park(ticket)
      for index in clauses.indices where index != ticket.pointee.servedIndex {
        guard let clause = channel(index) else { continue }
        clause(.lock)
        clause(.withdraw)
        clause(.unlock)
      }
      return isCancelled
    }
    drop(except: ticket.servedIndex)
    if isCancelled { throw CancellationError() }
    // If neither a channel nor a cancellation has ended it, the timer has.
    guard let index = ticket.servedIndex, let clause = channel(index) else { return timeoutIndex! }
    clause.end = ticket.end
    clause(.takeSlot)
    clause.slot = nil
    return index
  }

  private func park(_ ticket: UnsafeMutablePointer<ChannelTicket>) -> Bool {
    guard let timeout = timeoutIndex.map(timeout) else { return ticket.park() }
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
    sorted.reserveCapacity(channelCount)
    for index in clauses.indices {
      guard let clause = channel(index) else { continue }
      let place = sorted.firstIndex { $0.channelAddress >= clause.channelAddress } ?? sorted.count
      if place < sorted.count, sorted[place].channelAddress == clause.channelAddress { continue }
      sorted.insert(clause, at: place)
    }
    return sorted
  }

  private func drop(except served: Int?) {
    for index in clauses.indices where index != served {
      guard let clause = channel(index) else { continue }
      clause(.dropSlot)
      clause.slot = nil
    }
  }
}

private let selectionSeed = SelectionSeed()

/// Numbers without a pattern that two selects in turn could keep step with.
private final class SelectionSeed: Sendable {
  private let count = Atomic<UInt64>(0)

  func next() -> UInt64 {
    SplitMix64.mix(count.wrappingAdd(SplitMix64.step, ordering: .relaxed).newValue)
  }
}
