import UploadScenario

/// The contract of `Contender` as a state machine: given all that has happened to a job, what may happen next, and what must.
///
/// It is told of every event in the order in which they happened and answers with the promises that the event breaks. It is
/// pure: no clock, no thread, no service. Whoever tells it `isQuiet` has seen that the contender had done all that it could.
package struct Model: Sendable {
  /// One place in the ledger.
  private struct Lane {
    var asks = 0
    var isOpen = false
    var isCancelled = false
    var askedAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)?
  }

  /// One upload, chunk or lookup.
  private struct Unit {
    var isDone = false
    var isPrepared = false
    /// When it may be asked for again.
    var mayGoOnAt: UInt64 = 0
    /// Nothing of it is in flight, nor need be until a timer fires.
    var isResting = false
  }

  /// Timers may be early by so much: the clocks of timers and of this kit differ by a fraction.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// Nobody waits for what takes longer.
  private static let longNanoseconds: UInt64 = 60_000_000_000

  let scenario: Scenario
  let post: Post
  private let receipts: [Receipt]
  private let width: Int
  private let lanesPerUnit: Int
  private var lanes: [Lane]
  private var units: [Unit]

  private var startedAt: UInt64 = 0
  private(set) var doneCount = 0
  /// Requests that were not answered.
  private var open = 0
  /// Those of them that still matter: neither cancelled nor of a race that is over.
  private(set) var live = 0
  /// Those that lost their race and were not cancelled.
  private(set) var losers = 0
  private var resting = 0
  private var failedLanes = 0
  /// Media between the begin of their preparation and the end of their upload.
  private var chains = 0
  private(set) var isPostOpen = false
  private var isPostCancelled = false
  private(set) var postsAskedFor = 0
  private var isPostCreated = false
  /// How the job may end because of what was answered, or because it was told to; empty: it goes on.
  private(set) var reasons: [Ending] = []
  /// Nothing could start when the job was told to stop, or everybody has heard of it: nothing may start any more.
  private var isStopTaken = false
  private var isQuiet = false
  /// How it has ended.
  private(set) var ending: Ending?
  private var ends = 0

  /// - Parameter receipts: what the post must be created from.
  package init(_ scenario: Scenario, _ post: Post, receipts: [Receipt]) {
    (self.scenario, self.post, self.receipts) = (scenario, post, receipts)
    width = scenario.mostUnderWay ?? .max
    lanesPerUnit = scenario.pattern.requestsPerUpload
    lanes = Array(repeating: Lane(), count: scenario.requestCount)
    units = Array(repeating: Unit(), count: scenario.fanOut)
  }

  // MARK: What may and must come

  package var isAllDone: Bool { doneCount == units.count }
  package var hasEnded: Bool { ends > 0 }
  package var isStopping: Bool { !reasons.isEmpty }
  /// How often it was asked for.
  func asks(at index: Int) -> Int { lanes[index].asks }
  private var hasShortHedge: Bool {
    scenario.pattern.races && !scenario.asksBothMirrorsAtOnce && !isLong(scenario.hedgeDelay)
  }
  private var hasShortAttempts: Bool {
    scenario.pattern.retries && scenario.retry.attemptDeadline.map { !isLong($0) } ?? false
  }

  private func isLong(_ duration: Duration) -> Bool { duration.unsignedNanoseconds >= Self.longNanoseconds }

  /// How many requests are in flight once the contender has done all that it can, at the least.
  var due: Int {
    let left = units.count - doneCount
    if scenario.pattern.blocksThreads { return min(1, left) }
    switch scenario.pattern.requests {
    case .one, .urlThenUpload: return min(width, left)
    case .mirrors: return (scenario.asksBothMirrorsAtOnce ? 2 * left - failedLanes : left) - resting
    case .attempts: return left - resting
    }
  }

  /// Whether all is there that must come without another answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }
  /// Whether nothing can come without another answer but by a timer.
  var isWaitingForTimers: Bool { live == 0 && !isAllDone && resting > 0 }

  /// The contender has done all that it can: what is told to stop now has nothing that is about to start.
  package mutating func quiet() {
    // Who waits for the answer to what it has cancelled may not have heard yet.
    if isStopping, open == live + losers, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Several things are about to happen at once.
  package mutating func unquiet() { isQuiet = false }

  /// Whether nothing is about to start beside what is in flight; of threads that block, some may be.
  private var isNarrow: Bool { !scenario.pattern.blocksThreads || scenario.limit == 1 }

  // MARK: What happens

  package mutating func started(at now: UInt64) { startedAt = now }

  /// A request is made.
  package mutating func asked(_ index: Int, of media: Media?, at now: UInt64) -> [Breach] {
    guard lanes.indices.contains(index) else {
      return [Breach(.everyUpload, seen: "a request that is not the post's", promised: "none")]
    }
    let unit = index / lanesPerUnit
    var breaches: [Breach] = []
    func broke(_ rule: Promise, _ seen: String, _ promised: String) {
      breaches.append(Breach(rule, seen: "\(scenario.requestName(at: index)) \(seen)", promised: promised))
    }
    if let media, media != post.media[unit] {
      broke(.everyUpload, "asked for with another media file", "its own")
    }
    // What follows a preparation was being prepared until now.
    let isMadeOfWork = scenario.pattern.prepares && index % 2 == 0
    func startRule(_ reason: Ending) -> Promise {
      isMadeOfWork && reason.kind != .publication ? .abandonedWork : reason.startRule
    }
    // Of threads that block, some may have been about to ask when another one failed.
    if let ending, !scenario.pattern.blocksThreads || ending.kind == .publication {
      broke(startRule(ending), "asked for after the completion", "nothing after it")
    } else if isStopTaken, let reason = reasons.first {
      broke(startRule(reason), "asked for after \(reason.name)", "nothing started any more")
    }
    if hasPassed(scenario.retry.deadline, since: nil, at: now) {
      broke(.deadline, "asked for although no time is left", "nothing started")
    }
    if hasPassed(scenario.retry.attemptDeadline, since: nil, at: now) {
      broke(.attemptDeadline, "asked for although an attempt has no time", "AttemptTimedOut at once")
    }
    if !scenario.asksBothMirrorsAtOnce, scenario.pattern.races, index % 2 == 1 {
      let due = lanes[index - 1].askedAt + scenario.hedgeDelay.unsignedNanoseconds
      if lanes[index - 1].asks == 0 || now + Self.toleranceNanoseconds < due {
        broke(.hedge, "asked for \((due - min(due, now)) / 1_000) us too early", "the hedge delay before it")
      }
    }
    if scenario.pattern.races, index % 2 == 1, lanes[index - 1].asks > 0,
      scenario.hedgeDelay >= .milliseconds(15)
    {
      let late = now - min(now, lanes[index - 1].askedAt)
      if late > scenario.hedgeDelay.unsignedNanoseconds * 8 / 5 {
        broke(.hedge, "asked for after \(late / 1_000) us", "the hedge delay")
      }
    }
    if scenario.pattern.isSerial, unit != doneCount {
      broke(
        doneCount > unit || open > 0 ? .limit : .inOrder, "asked for",
        "\(scenario.requestName(at: min(doneCount, units.count - 1))) next")
    }
    if lanes[index].asks > 0 { breaches += askedAgain(index, unit, at: now) }
    lanes[index].asks += 1
    lanes[index].isOpen = true
    lanes[index].isCancelled = false
    lanes[index].askedAt = now
    open += 1
    if units[unit].isDone { losers += 1 } else { live += 1 }
    if units[unit].isResting {
      units[unit].isResting = false
      resting -= 1
    }
    if open > width { broke(.limit, "asked for with \(open - 1) in flight", "at most \(width) in flight") }
    return breaches
  }

  /// A media file is about to be prepared.
  mutating func prepared(_ index: Int) -> [Breach] {
    var breaches: [Breach] = []
    func broke(_ rule: Promise, _ seen: String, _ promised: String) {
      breaches.append(Breach(rule, seen: "media file \(index) prepared \(seen)", promised: promised))
      // It was about to begin when the job was told to stop.
      if isStopping { breaches[breaches.count - 1].isDoubtful = true }
    }
    chains += 1
    if chains > width { broke(.limitCoversPreparation, "with \(chains - 1) under way", "at most \(width)") }
    if units.indices.contains(index) {
      if units[index].isPrepared { broke(.everyUpload, "a second time", "once") }
      units[index].isPrepared = true
    }
    if let reason = ending ?? (isStopTaken ? reasons.first : nil) {
      broke(reason.startRule, "after \(reason.name)", "nothing started any more")
    }
    return breaches
  }

  private func askedAgain(_ index: Int, _ unit: Int, at now: UInt64) -> [Breach] {
    let lane = lanes[index]
    let name = scenario.requestName(at: index)
    guard scenario.pattern.retries else {
      return [Breach(.everyUpload, seen: "\(name) asked for twice", promised: "once")]
    }
    if lane.asks >= scenario.retry.attempts {
      return [
        Breach(.attempts, seen: "attempt \(lane.asks + 1) at \(name)", promised: "\(scenario.retry.attempts)")
      ]
    }
    if units[unit].isDone || lane.isOpen && !lane.isCancelled {
      return [Breach(.everyUpload, seen: "\(name) asked for again", promised: "not before it has failed")]
    }
    if let error = lane.error, !RetryPolicy.isTransient(error) {
      return [
        Breach(.refusals, seen: "\(name) asked for again after \(error)", promised: "the end of the job")
      ]
    }
    if now + Self.toleranceNanoseconds < units[unit].mayGoOnAt {
      let early = (units[unit].mayGoOnAt - now) / 1_000
      return [
        Breach(
          .backoff, seen: "attempt \(lane.asks + 1) at \(name) \(early) us too early",
          promised: "the policy's wait")
      ]
    }
    return []
  }

  /// A request is about to be answered. A second answer to the same request is no event.
  ///
  /// - Parameter attempt: which of the requests for the same it was, from 1.
  package mutating func answered(
    _ index: Int, attempt: Int, _ result: Result<Void, any Error>, at now: UInt64
  ) {
    guard lanes.indices.contains(index) else { return }
    if scenario.pattern.prepares {
      if case .success = result, index % 2 == 0 {} else { chains -= 1 }
    }
    // One that was given up, and asked for again since.
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
    case .success: succeed(index, unit)
    case .failure(let error):
      if let ending = fail(index, unit, error, at: now) { stop(ending, wasQuiet) }
    }
  }

  private mutating func succeed(_ index: Int, _ unit: Int) {
    if scenario.pattern.prepares, index % 2 == 0 { return }
    units[unit].isDone = true
    doneCount += 1
    guard scenario.pattern.races else { return }
    let other = lanes[index ^ 1]
    if other.error != nil { failedLanes -= 1 }
    if other.isOpen, !other.isCancelled {
      live -= 1
      losers += 1
    }
  }

  /// How the job must end because of it; nil: it goes on.
  private mutating func fail(_ index: Int, _ unit: Int, _ error: any Error, at now: UInt64) -> Ending? {
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
      if wait > .zero { rest(unit, until: now + wait.unsignedNanoseconds) }
      return nil
    case .one, .urlThenUpload, .attempts: return .failed(unit, error)
    }
  }

  private mutating func rest(_ unit: Int, until time: UInt64) {
    units[unit].mayGoOnAt = time
    units[unit].isResting = true
    resting += 1
  }

  private mutating func stop(_ ending: Ending, _ wasQuiet: Bool) {
    // Whoever has taken in one reason to stop ends with it.
    if isStopTaken { return }
    reasons.append(ending)
    if wasQuiet { isStopTaken = true }
  }

  /// Its media file, or chunk, cannot be read.
  mutating func unreadable(_ unit: Int, _ error: any Error) {
    chains -= 1
    stop(.failed(unit, error), false)
  }

  /// The handle's `cancel` is about to be called.
  package mutating func told() {
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
    guard hasPassed(scenario.retry.attemptDeadline, since: lanes[index].askedAt, at: now) else {
      return [
        needless(
          "\(scenario.requestName(at: index)), asked for \((now - lanes[index].askedAt) / 1_000) us ago,")
      ]
    }
    isQuiet = false
    // From now on it counts as failed; when it is answered is of no interest.
    if let ending = fail(index, unit, AttemptTimedOut(mediaIndex: unit), at: now) { stop(ending, false) }
    return []
  }

  private func mayCancel(at now: UInt64) -> Bool {
    // The one that has run out of time for good may be cancelled after the others.
    isStopping || scenario.pattern.retries && units.indices.contains { hasTimedOut($0, at: now) }
      || hasPassed(scenario.retry.deadline, since: startedAt, at: now)
  }

  private func needless(_ name: String) -> Breach {
    Breach(
      scenario.pattern.retries && scenario.retry.attemptDeadline != nil
        ? .attemptDeadline : .noNeedlessCancel,
      seen: "\(name) cancelled", promised: "no cancellation without a reason")
  }

  /// Whether so long has passed since then; nil: whether it passes at once.
  private func hasPassed(_ limit: Duration?, since begin: UInt64?, at now: UInt64) -> Bool {
    guard scenario.pattern.retries, let limit else { return false }
    guard let begin else { return limit <= .zero }
    return now + Self.toleranceNanoseconds >= begin + limit.unsignedNanoseconds
  }

  /// The post is asked for.
  package mutating func postAsked(_ post: Post, _ receipts: [Receipt], at now: UInt64) -> [Breach] {
    var breaches: [Breach] = []
    let before = postsAskedFor
    postsAskedFor += 1
    isPostOpen = true
    if before > 0 { return [Breach(.onePost, seen: "the post asked for twice", promised: "once")] }
    if let ending {
      let rule =
        ending.kind == .publication
        ? Promise.onePost : ending.kind == .failure ? .noPostAfterFailure : ending.startRule
      return [Breach(rule, seen: "the post asked for after the completion", promised: "no post after it")]
    }
    if let failure = reasons.first(where: { $0.kind == .failure }) {
      return [
        Breach(.noPostAfterFailure, seen: "the post asked for after \(failure.name)", promised: "no post")
      ]
    }
    if isStopTaken, let reason = reasons.first {
      breaches.append(
        Breach(reason.startRule, seen: "the post asked for after \(reason.name)", promised: "no post"))
    }
    if !isAllDone {
      let left = units.count - doneCount
      return breaches + [
        Breach(
          .postLast, seen: "the post asked for with \(left) \(scenario.pattern.unit)s to arrive",
          promised: "none left")
      ]
    }
    if post != self.post {
      breaches.append(Breach(.onePost, seen: "another post", promised: "the one that was given"))
    }
    if receipts != self.receipts {
      breaches.append(
        Breach(
          .order, seen: difference(receipts), promised: "\(self.receipts.count) receipts in the post's order")
      )
    }
    return breaches
  }

  private func difference(_ seen: [Receipt]) -> String {
    guard seen.count == receipts.count, let place = seen.indices.first(where: { seen[$0] != receipts[$0] })
    else {
      return "\(seen.count) receipts"
    }
    return "the receipt of media file \(seen[place].mediaIndex) in place \(place)"
  }

  /// The post is about to be answered.
  package mutating func postAnswered(_ result: Result<Void, any Error>) {
    isPostOpen = false
    switch result {
    case .success: isPostCreated = true
    // Its answer is the job's result, even if it was cancelled meanwhile.
    case .failure(let error): reasons.append(.failed(nil, error))
    }
  }

  /// The completion is called.
  package mutating func completed(_ result: Result<Publication, any Error>, at now: UInt64) -> [Breach] {
    ends += 1
    if ends > 1 {
      return [Breach(.exactlyOnce, seen: "the completion called \(ends) times", promised: "once")]
    }
    var possible = reasons
    let hasFailed = reasons.contains { $0.kind == .failure }
    if isPostCreated, !hasFailed { possible.insert(.published, at: 0) }
    if hasPassed(scenario.retry.deadline, since: startedAt, at: now) { possible.append(.deadline) }
    // Several may run out of time at once.
    if case .failure(let error as AttemptTimedOut) = result, hasTimedOut(error.mediaIndex, at: now) {
      possible.append(.failed(error.mediaIndex, error))
    }
    ending = possible.first { $0.matches(result) }
    guard let ending else { return [wrongEnd(result, possible)] }
    if case .success(let publication) = result,
      publication.postID != post.id || publication.receipts != receipts
    {
      return [
        Breach(
          .publication, seen: "a publication of \(difference(publication.receipts))", promised: "the post's")
      ]
    }
    if let late = lateEnd(ending, at: now) { return [late] }
    let uncancelled = live + losers + (isPostOpen && !isPostCancelled ? 1 : 0)
    guard ending.kind != .publication, isStopTaken, !scenario.pattern.blocksThreads, uncancelled > 0 else {
      return []
    }
    var breach = Breach(
      ending.kind == .cancellation ? .cancellationStops : .inFlightCancelled,
      seen: "\(uncancelled) requests neither answered nor cancelled when the completion was called",
      promised: "all in flight cancelled before that")
    // A request is under way a moment before the contender has its handle.
    breach.isDoubtful = true
    return [breach]
  }

  /// An end that came only when another attempt would have, if there were one. Shorter waits are a busy machine's own.
  private func lateEnd(_ ending: Ending, at now: UInt64) -> Breach? {
    guard scenario.pattern.retries, ending.kind == .failure, let unit = ending.unit, let error = ending.error,
      lanes[unit].asks > 0
    else { return nil }
    let wait = scenario.retry.backoff(afterAttempt: lanes[unit].asks, of: post.media[unit])
    let late = now - min(now, lanes[unit].failedAt)
    guard wait >= .milliseconds(100), late >= wait.unsignedNanoseconds else { return nil }
    return Breach(
      RetryPolicy.isTransient(error) ? .lastError : .refusals,
      seen: "the completion \(late / 1_000_000) ms after \(ending.name)", promised: "the end at once")
  }

  /// Whether there is no time for its last attempt any more, or for any.
  private func hasTimedOut(_ unit: Int, at now: UInt64) -> Bool {
    guard units.indices.contains(unit) else { return false }
    let isLast = !units[unit].isDone && lanes[unit].asks >= scenario.retry.attempts
    return isLast && hasPassed(scenario.retry.attemptDeadline, since: lanes[unit].askedAt, at: now)
      || hasPassed(scenario.retry.attemptDeadline, since: nil, at: now)
  }

  private func wrongEnd(_ result: Result<Publication, any Error>, _ possible: [Ending]) -> Breach {
    guard let promised = possible.first else {
      let left =
        isAllDone
        ? "the post created before that"
        : "\(units.count - doneCount) \(scenario.pattern.unit)s and the post before that"
      return Breach(.notEarly, seen: result.text, promised: left)
    }
    let names = possible.map(\.name).joined(separator: " or ")
    if case .success = result, promised.kind == .failure, promised.unit != nil {
      return Breach(.noPostAfterFailure, seen: result.text, promised: names)
    }
    return Breach(rule(of: promised), seen: result.text, promised: names)
  }

  /// A wrong error breaks what the pattern promises of its errors, where it says more than that the first failure counts.
  private func rule(of ending: Ending) -> Promise {
    guard ending.kind == .failure, ending.unit != nil else { return ending.rule }
    if scenario.pattern.races { return .bothMirrorsFail }
    if scenario.pattern.retries, let error = ending.error, RetryPolicy.isTransient(error) {
      return .lastError
    }
    return .firstFailure
  }
}
