extension Play {
  /// Simpler versions of this test case, each changed in one way. The largest reductions come first.
  var simpler: [Play] {
    var plays: [Play] = []
    func add(_ change: (inout Play) -> Void) {
      var play = self
      change(&play)
      if play.text != text { plays.append(play) }
    }
    if !scenario.pattern.looksUp {
      for size in [1, 2, scenario.fanOut / 2, scenario.fanOut - 1] where size > 0 && size < scenario.fanOut {
        add { $0.shrink(to: size) }
      }
    }
    add { $0.company = 0 }
    add { $0.transient = 0 }
    add { ($0.onThreads, $0.mostAtOnce) = (false, 1) }
    add { $0.meanwhile = 0 }
    add { ($0.late, $0.isLateAfterTheEnd) = (.stops, false) }
    add { $0.stillnessMilliseconds = 0 }
    add { $0.slowWork = 0 }
    add { $0.dropsHandle = false }
    add { $0.cancelsAtTheEnd = false }
    add { $0.order = .forward }
    add { $0.isHeldFirst = false }
    add { $0.scenario.limit = nil }
    add { $0.scenario.priority = .normal }
    add { $0.scenario.preparePasses = 1 }
    add { $0.refusedAfter = 0 }
    add { $0.exhausts = false }
    add { $0.refused = $0.refused.mapValues { _ in 1 } }
    add { $0.endsBeforeCancelReturns = false }
    add { $0.repeatsMedia = false }
    add { $0.fillsBuffer = false }
    add { ($0.scenario.bufferCapacity, $0.scenario.uploaders) = (1, 1) }
    add { $0.scenario.hedgeDelay = .zero }
    add { $0.scenario.retry.firstBackoff = .zero }
    // If the service leaves requests unanswered, only the deadlines end the job, so they stay.
    if silent == 0, silentFrom == .max {
      add { $0.scenario.retry.attemptDeadline = nil }
      add { $0.scenario.retry.deadline = nil }
    }
    if refused.count > 1 { for unit in refused.keys.sorted() { add { $0.refused[unit] = nil } } }
    if scenario.retry.attempts > 1 { add { $0.scenario.retry.attempts -= 1 } }
    if let limit = scenario.limit, limit > 1 { add { $0.scenario.limit = limit - 1 } }
    if case .cancelled(let count, let isAmid) = stop, count > 0 {
      add { $0.stop = .cancelled(after: count / 2, isAmid: isAmid) }
    }
    return plays
  }

  private mutating func shrink(to size: Int) {
    if scenario.pattern.isChunked {
      scenario.payloadBytes = size * scenario.chunkBytes
    } else {
      (scenario.photos, scenario.videos) = (size, 0)
    }
    refused = [Int: Int](uniqueKeysWithValues: refused.filter { $0.key < size }.map { ($0.key, $0.value) })
    refusedAfter = min(refusedAfter, size)
    if let unreadable { self.unreadable = min(unreadable, size - 1) }
    if case .cancelled(let count, let isAmid) = stop {
      stop = .cancelled(after: min(count, size), isAmid: isAmid)
    }
  }
}
