import UploadScenario

extension Model {
  mutating func stop(_ ending: Ending, _ wasQuiet: Bool) {
    // The first known reason decides how the job ends.
    if isStopTaken { return }
    reasons.append(ending)
    if wasQuiet { isStopTaken = true }
  }

  /// The handle's `cancel` is about to be called.
  package mutating func jobCancelled() {
    guard !hasEnded else { return }
    stop(.cancelled, isQuiet)
    isQuiet = false
  }

  /// The contender cancels a request; nil: the post.
  package mutating func cancelled(_ index: Int?, attempt: Int, at now: UInt64) -> [Breach] {
    guard let index else {
      guard isPostOpen, !isPostCancelled else { return [] }
      isPostCancelled = true
      return mayCancel(at: now) ? [] : [needless("the post")]
    }
    guard lanes.indices.contains(index), attempt == lanes[index].asks, lanes[index].isOpen,
      !lanes[index].isCancelled
    else { return [] }
    let unit = index / lanesPerUnit
    lanes[index].isCancelled = true
    if units[unit].isDone { losers -= 1 } else { live -= 1 }
    if units[unit].isDone || mayCancel(at: now) { return [] }
    let begin = beginning(of: index)
    guard let limit = scenario.retry.attemptDeadline, hasPassed(limit, since: begin, at: now) else {
      return [
        needless(
          "\(scenario.requestName(at: index)), requested \(Self.text(now - lanes[index].requestedAt)) ago,")
      ]
    }
    isQuiet = false
    // It counts as failed from now on, whenever it is answered.
    let ending = fail(
      index, unit, AttemptTimedOut(mediaIndex: unit), at: now,
      notBefore: min(now, begin + limit.unsignedNanoseconds))
    if let ending { stop(ending, false) }
    return []
  }

  private func mayCancel(at now: UInt64) -> Bool {
    // Others may be cancelled before the request whose last attempt has timed out.
    isStopping || scenario.pattern.retries && units.indices.contains { hasTimedOut($0, at: now) }
      || hasPassed(scenario.retry.deadline, since: startedAt, at: now)
  }

  private func needless(_ name: String) -> Breach {
    Breach(
      scenario.pattern.retries && scenario.retry.attemptDeadline != nil
        ? .attemptDeadline : .noNeedlessCancel,
      seen: "\(name) cancelled", promised: "no cancellation without a reason")
  }

  /// Whether `limit` has passed since `begin`; without a begin, whether it is zero or less.
  func hasPassed(_ limit: Duration?, since begin: UInt64?, at now: UInt64) -> Bool {
    guard scenario.pattern.retries, let limit else { return false }
    guard let begin else { return limit <= .zero }
    return now + Self.toleranceNanoseconds >= begin + limit.unsignedNanoseconds
  }

  /// Whether its last attempt has timed out, or attempts have no time at all.
  func hasTimedOut(_ unit: Int, at now: UInt64) -> Bool {
    guard units.indices.contains(unit) else { return false }
    let isLast = (!units[unit].isDone || units[unit].wasLate) && lanes[unit].asks >= scenario.retry.attempts
    return isLast && hasPassed(scenario.retry.attemptDeadline, since: beginning(of: unit), at: now)
      || hasPassed(scenario.retry.attemptDeadline, since: nil, at: now)
  }
}
