import UploadScenario

/// The pairs of traits that test cases have had so far.
struct Coverage {
  private var seen: Set<UInt64> = []

  /// The test case with the most new pairs.
  mutating func newest(of plays: [Play]) -> Play {
    let best = plays.map { ($0, new: $0.pairs.filter { !seen.contains($0) }) }.max {
      $0.new.count < $1.new.count
    }!
    seen.formUnion(best.new)
    return best.0
  }
}

extension Play {
  fileprivate var pairs: [UInt64] {
    let traits = traits.enumerated().map { UInt64($0) << 16 | UInt64($1 & 0xFFFF) }
    return traits.indices.flatMap { second in traits[..<second].map { $0 << 32 | traits[second] } }
  }

  private var traits: [Int] {
    [
      size(of: scenario.fanOut), size(of: scenario.limit ?? 0), size(of: scenario.bufferCapacity),
      size(of: scenario.uploaders),
      scenario.retry.attempts, scenario.hedgeDelay == .zero ? 0 : isTimed ? 1 : 2, size(of: mostAtOnce),
      onThreads ? 1 : 0,
      Int(meanwhile * 4), Backend.Late.allCases.firstIndex(of: late)!,
      isLateAfterTheEnd ? 1 : 0,
      refused.count, size(of: refusedAfter), Int(transient * 4), stopKind, dropsHandle ? 1 : 0,
      size(of: company), slowWork > 0 ? 1 : 0, unreadable.map { 1 + size(of: $0) } ?? 0, repeatsMedia ? 1 : 0,
      endsBeforeCancelReturns ? 1 : 0, cancelsAtTheEnd ? 1 : 0, Int(silent * 4), stillnessMilliseconds,
      exhausts ? 1 : 0,
      length(of: scenario.retry.firstBackoff), length(of: scenario.retry.attemptDeadline),
      length(of: scenario.retry.deadline),
    ]
  }

  private var stopKind: Int {
    switch stop {
    case .never: 0
    case .cancelled(let after, let isAmid): 1 + (isAmid ? 1 : 0) + 10 * size(of: after)
    case .cancelledInside(let number, let elsewhere): 3 + (elsewhere ? 1 : 0) + 10 * size(of: number)
    case .postRefused: 5
    case .postCancelled: 6
    case .cancelledLate: 7
    case .postedInside: 8
    case .atWork(let unit, let reason): 200 + reason.rawValue + 10 * size(of: unit)
    }
  }

  private func length(of time: Duration?) -> Int {
    time.map { $0 <= .zero ? 1 : $0 < .milliseconds(5) ? 2 : $0 < .seconds(60) ? 3 : 4 } ?? 0
  }

  /// Maps a size to its group. An implementation most likely treats all sizes of a group alike.
  private func size(of number: Int) -> Int {
    number < 5 ? number : number < 10 ? 5 : number < 63 ? 6 : number < 200 ? 7 : number < 1_000 ? 8 : 9
  }
}
