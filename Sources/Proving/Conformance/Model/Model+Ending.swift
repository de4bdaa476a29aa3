import UploadScenario

extension Model {
  package mutating func postRequested(_ post: Post, _ receipts: [Receipt]) -> [Breach] {
    var breaches: [Breach] = []
    let before = postsRequested
    postsRequested += 1
    isPostOpen = true
    if before > 0 { return [Breach(.onePost, seen: "createPost called twice", promised: "one call")] }
    if let ending {
      let rule =
        ending.kind == .publication
        ? Promise.onePost : ending.kind == .failure ? .noPostAfterFailure : ending.startRule
      return [Breach(rule, seen: "createPost called after the completion", promised: "no such call")]
    }
    if let failure = reasons.first(where: { $0.kind == .failure }) {
      return [
        Breach(.noPostAfterFailure, seen: "createPost called after \(failure.cause)", promised: "no call")
      ]
    }
    if isStopTaken, let reason = reasons.first {
      breaches.append(
        Breach(reason.startRule, seen: "createPost called after \(reason.cause)", promised: "no call"))
    }
    if !isAllDone {
      let left = units.count - doneCount
      return breaches + [
        Breach(
          .postLast,
          seen: "createPost called although \(left.of("\(scenario.pattern.unit)")) had not succeeded",
          promised: "a call after the success of the last \(scenario.pattern.unit)")
      ]
    }
    if post != self.post {
      breaches.append(
        Breach(.onePost, seen: "createPost called with another post", promised: "the post of the job"))
    }
    if receipts != self.receipts {
      breaches.append(
        Breach(
          .order, seen: "createPost called with \(difference(receipts))",
          promised: "\(self.receipts.count.of("receipt")) in the order of the media files")
      )
    }
    return breaches
  }

  private func difference(_ seen: [Receipt]) -> String {
    guard seen.count == receipts.count, let place = seen.indices.first(where: { seen[$0] != receipts[$0] })
    else {
      return seen.count.of("receipt")
    }
    return "the receipt of media file \(seen[place].mediaIndex) at index \(place)"
  }

  package mutating func postAnswered(_ result: Result<Void, any Error>) {
    isPostOpen = false
    switch result {
    case .success: isPostCreated = true
    // If the service refuses to create the post, the error ends the job, even after a cancellation.
    case .failure(let error): reasons.append(.failed(nil, error))
    }
  }

  package mutating func completed(_ result: Result<Publication, any Error>, at now: UInt64) -> [Breach] {
    ends += 1
    if ends > 1 {
      return [Breach(.exactlyOnce, seen: "the completion called \(ends) times", promised: "one call")]
    }
    var possible = reasons
    let hasFailed = reasons.contains { $0.kind == .failure }
    if isPostCreated, !hasFailed { possible.insert(.published, at: 0) }
    if hasPassed(scenario.retry.deadline, since: startedAt, at: now) { possible.append(.deadline) }
    // If several attempts time out at once, the error of any of them may end the job.
    if scenario.pattern.retries, case .failure(let error as AttemptTimedOut) = result,
      hasTimedOut(error.mediaIndex, at: now)
    {
      possible.append(.failed(error.mediaIndex, error))
    }
    ending = possible.first { $0.matches(result) }
    guard let ending else { return [wrongEnd(result, possible, at: now)] }
    if case .success(let publication) = result,
      publication.postID != post.id || publication.receipts != receipts
    {
      return [
        Breach(
          .publication,
          seen: "the completion called with another publication (\(difference(publication.receipts)))",
          promised: "the publication that createPost returned")
      ]
    }
    if let late = lateEnd(ending, at: now) { return [late] }
    let uncancelled = live + losers + (isPostOpen && !isPostCancelled ? 1 : 0)
    // A job that ends early must first cancel all its requests if all its threads know that it must stop, or if it was idle
    // at its deadline.
    guard isStopTaken && ending.kind != .publication || isQuiet && ending.kind == .deadline,
      !scenario.pattern.blocksThreads, uncancelled > 0
    else { return [] }
    // A contender cannot cancel a request before it has the handle, so one run does not prove this breach.
    return [
      Breach(
        ending.kind == .cancellation ? .cancellationStops : .inFlightCancelled,
        seen: "\(uncancelled.of("request")) neither answered nor cancelled when the completion was called",
        promised: "all cancelled before", mayBeTheMachine: ending.kind != .deadline)
    ]
  }

  /// A breach if the job waited for a backoff although no attempt follows. Waits below 100 ms may be caused by a busy machine.
  private func lateEnd(_ ending: Ending, at now: UInt64) -> Breach? {
    guard scenario.pattern.retries, ending.kind == .failure, let unit = ending.unit, let error = ending.error,
      lanes[unit].asks > 0
    else { return nil }
    let wait = scenario.retry.backoff(afterAttempt: lanes[unit].asks, of: post.media[unit])
    let late = now - min(now, lanes[unit].failedAt)
    guard wait >= .milliseconds(100), late >= wait.unsignedNanoseconds else { return nil }
    return Breach(
      RetryPolicy.isTransient(error) ? .lastError : .refusals,
      seen: "the completion called \(Self.text(late)) after \(ending.cause)", promised: "an immediate call",
      mayBeTheMachine: true)
  }

  private func wrongEnd(
    _ result: Result<Publication, any Error>, _ possible: [Ending], at now: UInt64
  ) -> Breach {
    func breach(_ rule: Promise, _ promised: String) -> Breach {
      Breach(
        rule, seen: "the completion called with \(result.text)", promised: promised,
        mayBeTheMachine: mayHaveTimedOut(result, at: now))
    }
    guard let promised = possible.first else {
      let left = isAllDone ? "" : "\((units.count - doneCount).of("more \(scenario.pattern.unit)")) and "
      return breach(.notEarly, "a call after \(left)the creation of the post")
    }
    let names = possible.map(\.name).joined(separator: " or ")
    if case .success = result, promised.kind == .failure, promised.unit != nil {
      return breach(.noPostAfterFailure, names)
    }
    return breach(rule(of: promised), names)
  }

  /// Whether the contender may have seen an attempt's timer before the answer that the kit noted.
  private func mayHaveTimedOut(_ result: Result<Publication, any Error>, at now: UInt64) -> Bool {
    guard case .failure(let error as AttemptTimedOut) = result, units.indices.contains(error.mediaIndex)
    else { return false }
    return isAttemptOver(error.mediaIndex, at: now)
  }

  /// The rule that is broken if the job should have ended like this but did not.
  func rule(of ending: Ending) -> Promise {
    switch ending.kind {
    case .publication: .publication
    case .cancellation: .cancellation
    case .deadline: .deadline
    case .failure where ending.unit == nil: .refusedPost
    case .failure where scenario.pattern.races: .bothMirrorsFail
    case .failure where scenario.pattern.retries && ending.error.map(RetryPolicy.isTransient) ?? false:
      .lastError
    case .failure: .firstFailure
    }
  }

  /// Compares the service's record with what the job's ending requires. Call this when no request is in flight.
  package func breaches(
    of record: LedgerRecord, _ result: Result<Publication, any Error>, promise: Expectation
  ) -> [Breach] {
    guard let ending else { return [] }
    let expectation = promise.with(ending: ending.kind, failing: ending.unit.map { [$0] } ?? [])
    return expectation.differences(result: result, record: record).compactMap { difference in
      rule(of: difference.aspect, ending).map {
        Breach($0, seen: "\(difference.subject): \(difference.got)", promised: difference.expected)
      }
    }
  }

  private func rule(of aspect: Expectation.Aspect, _ ending: Ending) -> Promise? {
    switch aspect {
    // Errors are not compared here, because the method `completed` has already judged them.
    case .result: ending.kind == .publication ? .publication : nil
    case .receipts: .order
    case .requests: .everyUpload
    // If the job was stopped during its request to create the post, the service may have created the post.
    case .posts: ending.kind == .publication || postsRequested == 0 ? .onePost : nil
    case .limit: .limit
    case .mediaUnderWay: .limitCoversPreparation
    case .chunksInMemory: .boundedChunks
    // The method `requested` has already judged each start after the completion.
    case .startsAfterCompletion: nil
    case .leftInFlight: .inFlightCancelled
    case .chunksLeft: .nothingLeft
    }
  }
}
