import Synchronization

/// One run of a `select`.
struct Selection<Value> {
  private var clauses: [ChannelClause<Value>] = []
  private(set) var fallback: (() throws -> Value)?
  private var timeout: (duration: Duration, timer: CoTimer, body: () throws -> Value)?

  init(_ clauses: [SelectClause<Value>]) {
    for clause in clauses {
      switch clause.kind {
      case .channel(let clause): self.clauses.append(clause)
      case .timeout(let duration, let timer, let body):
        if timeout.map({ duration < $0.duration }) ?? true { timeout = (duration, timer, body) }
      case .default(let body): fallback = body
      }
    }
    precondition(
      !clauses.isEmpty || fallback != nil || timeout != nil, "a select without clauses would wait for ever")
  }

  /// The places of the clauses in the order in which they are tried: from a place on that no clause is favoured by.
  func shuffledOrder() -> [Int] {
    guard clauses.count > 1 else { return Array(clauses.indices) }
    let start = Int(selectionSeed.next() % UInt64(clauses.count))
    return Array(start..<clauses.count) + Array(0..<start)
  }

  /// Carries out the first that can be, locking one channel at a time.
  func attemptEach(in order: [Int]) -> ChannelClause<Value>.Completion? {
    for index in order {
      clauses[index].lock()
      let completion = clauses[index].attempt()
      clauses[index].unlock()
      if let completion { return completion }
    }
    return nil
  }

  /// Waits with all clauses at once. Until it is in every list nobody may find it in one, because it could be served there
  /// and serve another: so all channels are locked meanwhile, in the order of their addresses, which no two runs can
  /// block each other with.
  func wait(_ order: [Int]) throws -> Value {
    let slots = clauses.map { $0.makeSlot() }
    let waiters = UnsafeMutablePointer<ChannelWaiter>.allocate(capacity: clauses.count)
    defer { waiters.deallocate() }
    let locked = channelsByAddress()
    for clause in locked { clause.lock() }
    for index in order {
      guard let completion = clauses[index].attempt() else { continue }
      for clause in locked { clause.unlock() }
      discard(slots, except: nil)
      return try completion()
    }
    var ticket = ChannelTicket()
    let isCancelled = withUnsafeMutablePointer(to: &ticket) { ticket in
      for index in clauses.indices {
        (waiters + index).initialize(to: ChannelWaiter(ticket: ticket, index: index, slot: slots[index]))
        clauses[index].enlist(waiters + index)
      }
      for clause in locked { clause.unlock() }
      let isCancelled = park(ticket)
      for index in clauses.indices where index != ticket.pointee.servedIndex {
        clauses[index].lock()
        clauses[index].withdraw(waiters + index)
        clauses[index].unlock()
      }
      return isCancelled
    }
    discard(slots, except: ticket.servedIndex)
    if isCancelled { throw CancellationError() }
    if let index = ticket.servedIndex { return try clauses[index].complete(slots[index], end: ticket.end) }
    // Neither a channel nor a cancellation ended it.
    return try timeout!.body()
  }

  private func park(_ ticket: UnsafeMutablePointer<ChannelTicket>) -> Bool {
    guard let timeout else { return ticket.park() }
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

  /// A clause for each channel.
  private func channelsByAddress() -> [ChannelClause<Value>] {
    let sorted = clauses.sorted { $0.channelAddress < $1.channelAddress }
    return sorted.enumerated().compactMap { position, clause in
      position > 0 && sorted[position - 1].channelAddress == clause.channelAddress ? nil : clause
    }
  }

  private func discard(_ slots: [UnsafeMutableRawPointer], except served: Int?) {
    for index in clauses.indices where index != served { clauses[index].discard(slots[index]) }
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
