import UploadScenario

extension Model {
  package mutating func requested(_ index: Int, of media: Media?, at now: UInt64) -> [Breach] {
    guard lanes.indices.contains(index) else {
      return [
        Breach(
          .everyUpload, seen: "a request for a media file, chunk or detail that the post does not have",
          promised: "requests for this post only")
      ]
    }
    let unit = index / lanesPerUnit
    var breaches: [Breach] = []
    func broke(_ rule: Promise, _ seen: String, _ promised: String, mayBeTheMachine: Bool = false) {
      breaches.append(
        Breach(
          rule, seen: "\(scenario.requestName(at: index)) \(seen)", promised: promised,
          mayBeTheMachine: mayBeTheMachine))
    }
    if let media, media != post.media[unit] {
      broke(.everyUpload, "requested with the data of another media file", "its own data")
    }
    // The request for a prepared media file's URL may follow a preparation that began before the job had to stop.
    let isMadeOfWork = scenario.pattern.prepares && index % 2 == 0
    func startRule(_ reason: Ending) -> Promise {
      isMadeOfWork && reason.kind != .publication ? .abandonedWork : reason.startRule
    }
    // When a blocking call fails, other threads of the job may be about to make their next call.
    if let ending, !scenario.pattern.blocksThreads || ending.kind == .publication {
      broke(startRule(ending), "requested after the completion", "no request after it")
    } else if isStopTaken, let reason = reasons.first {
      broke(startRule(reason), "requested after \(reason.cause)", "no further request")
    }
    if hasPassed(scenario.retry.deadline, since: nil, at: now) {
      broke(.deadline, "requested although the job's time limit is 0 s", "an immediate DeadlineExceeded")
    }
    if hasPassed(scenario.retry.attemptDeadline, since: nil, at: now) {
      broke(
        .attemptDeadline, "requested although the time limit of attempts is 0 s",
        "an immediate AttemptTimedOut")
    }
    if !scenario.asksBothMirrorsAtOnce, scenario.pattern.races, index % 2 == 1 {
      let delay = scenario.hedgeDelay.unsignedNanoseconds
      let due = beginning(of: index - 1) + delay
      let late = now - min(now, lanes[index - 1].requestedAt)
      if lanes[index - 1].asks == 0 {
        broke(.hedge, "requested before the primary mirror", "the primary mirror first")
      } else if now + Self.toleranceNanoseconds < due {
        broke(.hedge, "requested \(Self.text(due - now)) too early", "a wait for the hedge delay")
      } else if isHedgeTimed, late > delay * 8 / 5 {
        // A busy machine's timers may be late, so one run does not prove this breach.
        broke(
          .hedge, "requested \(Self.text(late)) after the primary mirror",
          "a request \(scenario.hedgeDelay.text) after it", mayBeTheMachine: true)
      }
    }
    if scenario.pattern.isSerial, unit != doneCount {
      broke(
        doneCount > unit || open > 0 ? .limit : .inOrder, "requested",
        "\(scenario.requestName(at: min(doneCount, units.count - 1))) as the next request")
    }
    if lanes[index].asks > 0 {
      breaches += requestedAgain(index, unit, at: now)
    } else if units[unit].isDone, scenario.asksBothMirrorsAtOnce {
      lateRivals -= 1
    }
    lanes[index].asks += 1
    lanes[index].isOpen = true
    lanes[index].isCancelled = false
    lanes[index].requestedAt = now
    open += 1
    if units[unit].isDone { losers += 1 } else { live += 1 }
    if units[unit].isResting {
      units[unit].isResting = false
      resting -= 1
    }
    if open > width {
      broke(
        .limit, "requested with \((open - 1).of("request")) in flight", "at most \(width) in flight")
    }
    return breaches
  }

  mutating func prepared(_ index: Int) -> [Breach] {
    var breaches: [Breach] = []
    func broke(_ rule: Promise, _ seen: String, _ promised: String) {
      // A preparation may be about to begin when the job must stop, so one run does not prove a breach then.
      breaches.append(
        Breach(
          rule, seen: "media file \(index) prepared \(seen)", promised: promised,
          mayBeTheMachine: isStopping))
    }
    chains += 1
    if chains > width {
      broke(
        .limitCoversPreparation,
        "while \((chains - 1).of("other")) were being prepared or uploaded", "at most \(width) at a time")
    }
    if units.indices.contains(index) {
      if units[index].isPrepared { broke(.everyUpload, "a second time", "one preparation") }
      units[index].isPrepared = true
    }
    if let reason = ending ?? (isStopTaken ? reasons.first : nil) {
      broke(reason.startRule, "after \(reason.cause)", "no further preparation")
    }
    return breaches
  }

  private mutating func requestedAgain(_ index: Int, _ unit: Int, at now: UInt64) -> [Breach] {
    let lane = lanes[index]
    let name = scenario.requestName(at: index)
    guard scenario.pattern.retries else {
      return [Breach(.everyUpload, seen: "\(name) requested twice", promised: "one request")]
    }
    if lane.asks >= scenario.retry.attempts {
      return [
        Breach(
          .attempts, seen: "attempt \(lane.asks + 1) at \(name)",
          promised: "at most \(scenario.retry.attempts.of("attempt"))")
      ]
    }
    if units[unit].isDone, units[unit].wasLate {
      (units[unit].isDone, units[unit].wasLate) = (false, false)
      doneCount -= 1
      lanes[index].mayBeginAt =
        beginning(of: index) + (scenario.retry.attemptDeadline?.unsignedNanoseconds ?? 0)
    }
    if units[unit].isDone || lane.isOpen && !lane.isCancelled {
      // The kit notes an answer before the contender does. On a busy machine, the attempt's time may end between the two.
      return [
        Breach(
          .everyUpload, seen: "\(name) requested again", promised: "no request before it has failed",
          mayBeTheMachine: units[unit].isDone && isAttemptOver(index, at: now))
      ]
    }
    if let error = lane.error, !RetryPolicy.isTransient(error) {
      return [
        Breach(
          .refusals, seen: "\(name) requested again after the failure “\(error)”, which is not transient",
          promised: "the end of the job")
      ]
    }
    if now + Self.toleranceNanoseconds < units[unit].mayGoOnAt {
      let early = Self.text(units[unit].mayGoOnAt - now)
      return [
        Breach(
          .backoff, seen: "attempt \(lane.asks + 1) at \(name) \(early) before the end of the backoff",
          promised: "a wait for the whole backoff")
      ]
    }
    return []
  }

  /// Records that the service answers a request. `attempt` counts the requests for the same upload, from 1.
  package mutating func answered(
    _ index: Int, attempt: Int, _ result: Result<Void, any Error>, at now: UInt64
  ) {
    guard lanes.indices.contains(index) else { return }
    if scenario.pattern.prepares {
      if case .success = result, index % 2 == 0 {} else { chains -= 1 }
    }
    // The answer to an attempt that the contender has given up only reduces the number of unanswered requests.
    guard attempt == lanes[index].asks, lanes[index].isOpen else { return open -= 1 }
    let unit = index / lanesPerUnit
    let wasCancelled = lanes[index].isCancelled
    lanes[index].isOpen = false
    open -= 1
    if !wasCancelled { if units[unit].isDone { losers -= 1 } else { live -= 1 } }
    guard !wasCancelled, !units[unit].isDone else { return }
    let wasQuiet = isQuiet
    isQuiet = false
    switch result {
    case .success:
      units[unit].wasLate = hasPassed(scenario.retry.attemptDeadline, since: beginning(of: index), at: now)
      succeed(index, unit)
    case .failure(let error):
      if let ending = fail(index, unit, error, at: now, notBefore: now) { stop(ending, wasQuiet) }
    }
  }

  private mutating func succeed(_ index: Int, _ unit: Int) {
    if scenario.pattern.prepares, index % 2 == 0 { return }
    units[unit].isDone = true
    doneCount += 1
    guard scenario.pattern.races else { return }
    let other = lanes[index ^ 1]
    if other.error != nil { failedLanes -= 1 }
    if other.asks == 0, scenario.asksBothMirrorsAtOnce { lateRivals += 1 }
    if other.isOpen, !other.isCancelled {
      live -= 1
      losers += 1
    }
  }

  /// Records a failure, which the contender may know from the time `earliest`. Returns how the job must end, if it must.
  mutating func fail(
    _ index: Int, _ unit: Int, _ error: any Error, at now: UInt64, notBefore earliest: UInt64
  ) -> Ending? {
    (lanes[index].error, lanes[index].failedAt) = (error, now)
    switch scenario.pattern.requests {
    case .mirrors:
      guard let other = lanes[index ^ 1].error else {
        failedLanes += 1
        if !lanes[index ^ 1].isOpen, !scenario.asksBothMirrorsAtOnce { rest(unit, until: 0) }
        return nil
      }
      let (first, second) = index % 2 == 0 ? (error, other) : (other, error)
      return .failed(unit, RaceFailure(mediaIndex: unit, primary: first, secondary: second))
    case .attempts where RetryPolicy.isTransient(error) && lanes[index].asks < scenario.retry.attempts:
      let wait = scenario.retry.backoff(afterAttempt: lanes[index].asks, of: post.media[unit])
      lanes[index].mayBeginAt = earliest + wait.unsignedNanoseconds
      if wait > .zero { rest(unit, until: lanes[index].mayBeginAt) }
      return nil
    case .one, .urlThenUpload, .attempts: return .failed(unit, error)
    }
  }

  private mutating func rest(_ unit: Int, until time: UInt64) {
    units[unit].mayGoOnAt = time
    units[unit].isResting = true
    resting += 1
  }

  static func text(_ nanoseconds: UInt64) -> String {
    Duration.nanoseconds(Int64(clamping: nanoseconds)).text
  }

  /// Records that a chunk is about to be read. Even after the job had to stop, four reads may begin before the reader knows.
  mutating func read() -> Breach? {
    guard let reason = ending ?? (isStopTaken ? reasons.first : nil) else { return nil }
    readsAfterStop += 1
    guard readsAfterStop > 4 else { return nil }
    return Breach(
      .abandonedWork, seen: "more than four chunks read after \(reason.cause)", promised: "no further read",
      mayBeTheMachine: true)
  }

  /// Records that a media file or chunk cannot be read. `wasHeld`: whether everything else was idle by then.
  mutating func unreadable(_ unit: Int, _ error: any Error, wasHeld: Bool) {
    chains -= 1
    stop(.failed(unit, error), isQuiet && wasHeld)
    isQuiet = false
  }
}
