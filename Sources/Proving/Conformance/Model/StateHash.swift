import UploadScenario

/// A 64-bit hash, mixed by SplitMix64. Two different inputs collide with a probability of 2^-64.
package struct StateHash {
  package var value: UInt64 = 0

  @inlinable package init() {}

  @inlinable package mutating func add(_ next: UInt64) {
    var mixed = value &+ next &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    value = mixed ^ (mixed >> 31)
  }

  @inlinable package mutating func add(_ next: Int) { add(UInt64(bitPattern: Int64(next))) }

  @inlinable package mutating func add(
    _ flag: Bool, _ second: Bool = false, _ third: Bool = false, _ fourth: Bool = false
  ) {
    add((flag ? 1 : 0) | (second ? 2 : 0) | (third ? 4 : 0) | (fourth ? 8 : 0) as UInt64)
  }

  /// A number for the type of an error. Errors of one type for the same request are equal.
  static func kind(of error: (any Error)?) -> UInt64 {
    guard let error else { return 0 }
    // Comparing metatypes takes a twentieth of the time of a cast.
    let type = type(of: error)
    if type == UploadFailure.self { return (error as! UploadFailure).isTransient ? 1 : 2 }
    return type == CancellationError.self ? 3 : type == AttemptTimedOut.self ? 4 : 5
  }

  static func end(of index: Int, _ result: Result<Void, any Error>) -> UInt64 {
    var hash = StateHash()
    hash.add(index)
    if case .failure(let error) = result { hash.add(kind(of: error)) }
    return hash.value
  }
}

extension Model {
  func add(to hash: inout StateHash) {
    for lane in lanes {
      hash.add(UInt64(lane.asks) << 8 | lane.errorKind)
      hash.add(lane.isOpen, lane.isOpen && lane.isCancelled)
      if isHedgeTimed { hash.add(lane.requestedAt) }
      guard scenario.pattern.retries else { continue }
      hash.add(lane.mayBeginAt)
      hash.add(lane.failedAt)
    }
    for unit in units {
      hash.add(unit.isDone, unit.wasLate, unit.isPrepared, unit.isResting)
      if scenario.pattern.retries { hash.add(unit.mayGoOnAt) }
    }
    for reason in reasons {
      hash.add(reason.unit ?? -1)
      hash.add(reason.errorKind)
    }
    hash.add(open << 32 | live << 16 | losers)
    hash.add(chains << 40 | readsAfterStop << 8 | postsRequested)
    hash.add(isPostOpen, isPostCancelled, isPostCreated)
    hash.add(isStopTaken, isQuiet)
  }
}

extension Backend {
  /// A hash of all state of the service and the model that affects the job's next steps or what is judged.
  package var stateHash: UInt64 {
    var hash = StateHash()
    state.withLock { state in
      state.model.add(to: &hash)
      hash.add(state.breaches.count << 48 | state.prepared << 24 | state.chunksRead)
      hash.add(state.ends)
      // The hash must not depend on the order of the calls, so their hashes are added.
      hash.add(
        state.calls.reduce(0) { sum, call in
          var hash = StateHash()
          hash.add((call.ledgerIndex ?? -1) << 16 | call.attempt << 1 | (call.isCancelled ? 1 : 0))
          return sum &+ hash.value
        })
    }
    if scenario.pattern.isChunked { hash.add(ledger.record().peakChunks) }
    return hash.value
  }
}
