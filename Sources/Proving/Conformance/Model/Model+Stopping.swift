import UploadScenario

extension Model {
  mutating func stop(_ ending: Ending, _ wasQuiet: Bool) {
    // If all threads of the job know that it must stop, a later reason changes nothing.
    if isStopTaken { return }
    reasons.append(ending)
    if wasQuiet { isStopTaken = true }
  }

  /// Records that `cancel` is about to be called on the job's handle.
  package mutating func jobCancelled() {
    guard !hasEnded else { return }
    stop(.cancelled, isQuiet)
    isQuiet = false
  }

  /// Records that the contender cancels a request. `index` is `nil` for the request to create the post.
  package mutating func cancelled(_ index: Int?, attempt: Int, at now: UInt64) -> [Breach] {
    guard let index else {
      guard isPostOpen, !isPostCancelled else { return [] }
      isPostCancelled = true
      return mayCancel(at: now) ? [] : [needless("the request for the post")]
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
    // The attempt has timed out, so a later answer does not count.
    let ending = fail(
      index, unit, AttemptTimedOut(mediaIndex: unit), at: now,
      notBefore: min(now, begin + limit.unsignedNanoseconds))
    if let ending { stop(ending, false) }
    return []
  }

  private func mayCancel(at now: UInt64) -> Bool {
    // When an upload's last attempt times out, the contender may cancel other uploads' requests first.
    isStopping || scenario.pattern.retries && units.indices.contains { hasTimedOut($0, at: now) }
      || hasPassed(scenario.retry.deadline, since: startedAt, at: now)
  }

  private func needless(_ name: String) -> Breach {
    Breach(
      scenario.pattern.retries && scenario.retry.attemptDeadline != nil
        ? .attemptDeadline : .noNeedlessCancel,
      seen: "\(name) cancelled",
      promised: "a cancellation only after a failure, a cancellation of the job, a lost race or a deadline")
  }

  /// Whether `limit` has passed since `begin`. Without `begin`, whether `limit` is zero or negative.
  func hasPassed(_ limit: Duration?, since begin: UInt64?, at now: UInt64) -> Bool {
    guard scenario.pattern.retries, let limit else { return false }
    guard let begin else { return limit <= .zero }
    return now + Self.toleranceNanoseconds >= begin + limit.unsignedNanoseconds
  }

  /// Whether the last attempt at this upload has timed out, or the time limit of attempts is zero or negative.
  func hasTimedOut(_ unit: Int, at now: UInt64) -> Bool {
    guard units.indices.contains(unit) else { return false }
    let isLast = (!units[unit].isDone || units[unit].wasLate) && lanes[unit].asks >= scenario.retry.attempts
    return isLast && isAttemptOver(unit, at: now)
      || hasPassed(scenario.retry.attemptDeadline, since: nil, at: now)
  }

  /// Whether the time limit of the current attempt has passed.
  func isAttemptOver(_ index: Int, at now: UInt64) -> Bool {
    hasPassed(scenario.retry.attemptDeadline, since: beginning(of: index), at: now)
  }
}
