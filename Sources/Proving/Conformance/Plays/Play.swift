import UploadScenario

/// A kind of test case.
enum Goal: CaseIterable {
  /// Every upload succeeds.
  case success
  /// An upload is refused permanently.
  case failure
  /// The job is cancelled before it ends.
  case cancellation
  case empty, refusedPost, cancelledPost, lateCancel, droppedHandle
  /// A media file or chunk cannot be read.
  case unreadable
  /// The chunks of a `stream` fill the buffer before the first answer. Then the job continues, or must stop.
  case readAhead, readAheadThenStop
  /// Some primary mirrors never answer, or the second mirrors are requested late or never.
  case hedge
  /// Some primary mirrors answer before the second mirrors are requested, and others never.
  case hedgedInPart
  /// Attempts fail, or one of the two mirrors fails, but no upload fails permanently.
  case transient
  /// Every attempt at an upload fails.
  case exhausted
  case slowAttempt, backoff, deadline
  /// Some answers arrive before the calls that make the requests return.
  case meanwhile
  /// The job is cancelled inside a request or inside its completion.
  case reentrant
  /// The job must stop while a media file is prepared or a chunk is read.
  case stoppedAtWork
  /// Another post starts inside a request or inside the completion.
  case postedInside
  case manyUploads, manyPosts
}

/// A test case, generated from a seed: one job and all events that the test causes.
struct Play: Sendable {
  enum Stop: Sendable, Hashable {
    case never
    /// Cancels the job once `after` uploads have succeeded. If `isAmid`, cancels while the service delivers other answers.
    case cancelled(after: Int, isAmid: Bool)
    /// Cancels inside the n-th request, or inside the completion if the number is `Int.max`, perhaps on another thread.
    case cancelledInside(Int, fromElsewhere: Bool)
    /// Starts another post inside the n-th request, or inside the completion if the number is `Int.max`.
    case postedInside(Int)
    /// Stops the job while the media file or chunk with this number is being prepared or read.
    case atWork(Int, AtWork)
    case postRefused, postCancelled, cancelledLate
  }

  /// Why a job must stop during a preparation or read: an upload is refused, the job is cancelled, or that work fails.
  enum AtWork: Int, Sendable, CaseIterable { case refused, cancelled, unreadable }

  var scenario: Scenario
  let seed: UInt64
  var order = CompletionOrder.forward
  /// The largest number of answers that are given together.
  var mostAtOnce = 1
  var onThreads = false
  /// Whether several threads answer all requests concurrently.
  var isFlood = false
  /// Whether the first answer comes when as many requests as possible are in flight.
  var isHeldFirst = false
  /// The probability that a call that makes a request returns only after an answer to this request or an earlier one.
  var meanwhile = 0.0
  var late = Backend.Late.stops
  /// Whether cancelled requests are answered before `cancel()` returns.
  var endsBeforeCancelReturns = false
  /// Whether cancelled requests are answered after the job's end, unless the job waits for their answers.
  var isLateAfterTheEnd = false
  /// The uploads that are refused permanently, each with the number of the refused attempt or request.
  var refused: [Int: Int] = [:]
  /// The number of uploads that succeed before the first refusal.
  var refusedAfter = 0
  /// Whether every attempt at a refused upload fails transiently.
  var exhausts = false
  /// The probability that an attempt fails transiently, or that one mirror of a race fails.
  var transient = 0.0
  /// The service answers neither the request with this number nor any later one.
  var silentFrom = Int.max
  /// The probability that the service never answers an attempt or the primary mirror's request.
  var silent = 0.0
  var stop = Stop.never
  var cancelsAtTheEnd = false
  var unreadable: Int?
  var dropsHandle = false
  var fillsBuffer = false
  var repeatsMedia = false
  /// The probability that a preparation or read takes 2 ms.
  var slowWork = 0.0
  /// The length of a pause before the first answer, and sometimes before later ones, in which the contender must be idle.
  var stillnessMilliseconds = 0
  /// The number of other posts in flight during the test.
  var company = 0

  /// The longest durations of the timers that may fire in this test case, including one backoff more than allowed.
  private var timers: [Duration] {
    let retry = scenario.retry
    let times: [Duration?] =
      switch scenario.pattern.requests {
      case .mirrors where scenario.hedgeDelay > .zero: [scenario.hedgeDelay]
      case .attempts:
        [
          retry.firstBackoff > .zero
            ? min(retry.firstBackoff * (1 << (retry.attempts - 1)), retry.longestBackoff) : nil,
          retry.attemptDeadline, retry.deadline,
        ]
      case .one, .urlThenUpload, .mirrors: []
      }
    return times.compactMap(\.self).filter { $0 < .seconds(60) }
  }

  var isTimed: Bool { !timers.isEmpty }
  var longestTimer: Duration { max(.zero, timers.max() ?? .zero) }

  /// Whether the test case takes only a few milliseconds.
  var isQuick: Bool {
    scenario.fanOut * (stillnessMilliseconds + (slowWork > 0 ? 8 : 0)) <= 80
      && longestTimer <= .milliseconds(20)
  }

  func makePost() -> Post {
    let post = scenario.makePost()
    guard repeatsMedia else { return post }
    return Post(
      id: post.id,
      media: post.media.map {
        Media(
          index: $0.index, kind: $0.kind, byteCount: $0.byteCount, checksum: post.media[$0.index % 2].checksum
        )
      })
  }

  /// The service's answer to a request, or `nil` if it never answers.
  func fate(of call: HeldCall) -> Result<Void, any Error>? {
    if call.number >= silentFrom { return nil }
    let attempt = call.attempt
    guard let index = call.ledgerIndex else {
      guard stop == .postRefused else { return .success(()) }
      return .failure(UploadFailure.ofPost(isTransient: seed % 2 == 0))
    }
    let pattern = scenario.pattern
    let unit = index / pattern.requestsPerUpload
    func error(isTransient: Bool = false) -> any Error {
      scenario.refusal(
        ofLedgerIndex: index, reason: pattern.refusalReason(of: index, attempt: attempt),
        isTransient: isTransient)
    }
    let draw = SeededGenerator.value(seed: seed ^ 0xFA7E, index: index * 16 + attempt)
    let chance = SeededGenerator.unit(draw)
    if let place = refused[unit] {
      switch pattern.requests {
      case .one, .mirrors: return .failure(error(isTransient: exhausts))
      case .urlThenUpload where index % 2 == place % 2: return .failure(error())
      case .urlThenUpload: break
      case .attempts where exhausts || attempt < place: return .failure(error(isTransient: true))
      case .attempts: return .failure(error())
      }
    }
    switch pattern.requests {
    case .mirrors:
      // At most one mirror of a race fails.
      let race = SeededGenerator.value(seed: seed ^ 0xACE, index: unit)
      if SeededGenerator.unit(race) < transient {
        return index % 2 == Int(race % 2) ? .failure(error(isTransient: race % 3 == 0)) : .success(())
      }
      return index % 2 == 0 && chance < silent ? nil : .success(())
    case .attempts:
      let isLast = attempt >= scenario.retry.attempts
      if !isLast, chance < transient { return .failure(error(isTransient: true)) }
      return SeededGenerator.unit(draw &* 31) < silent ? nil : .success(())
    case .one, .urlThenUpload: return .success(())
    }
  }

  /// How often to repeat the test case. Only short ones in which threads race are repeated.
  var rounds: Int {
    let isQuick =
      onThreads && mostAtOnce > 1 && meanwhile < 1 && company == 0 && !isTimed && stillnessMilliseconds == 0
      && slowWork == 0 && !scenario.pattern.blocksThreads && !fillsBuffer
    let cancels = if case .cancelled(_, isAmid: true) = stop { 1 } else { 0 }
    let meeting = scenario.fanOut * (scenario.asksBothMirrorsAtOnce ? 2 : 1) + cancels
    return isQuick && (2...12).contains(meeting) ? 72 / meeting : 0
  }

  func workMilliseconds(of unit: Int) -> Int {
    // Only some media files are slow, so that large test cases stay short.
    guard slowWork > 0, unit < 16 || unit % 64 == 0 else { return 0 }
    return SeededGenerator.unit(SeededGenerator.value(seed: seed ^ 0x5109, index: unit)) < slowWork ? 2 : 0
  }

  /// A request to answer before the call that makes the request `call` returns, with the answer. It is `call` or an earlier one.
  func answerMeanwhile(_ call: HeldCall, others: [HeldCall]) -> (HeldCall, Result<Void, any Error>)? {
    let draw = SeededGenerator.value(seed: seed ^ 0xEA71, index: call.number)
    guard SeededGenerator.unit(draw) < meanwhile, call.ledgerIndex != nil || stop != .postCancelled else {
      return nil
    }
    let others = others.filter { !$0.isCancelled }
    let answered = draw % 2 == 0 ? call : others[Int(draw >> 8) % others.count]
    return fate(of: answered).map { (answered, $0) }
  }

  /// The test case in words, for reports.
  var text: String {
    var parts = [scenario.size]
    if let limit = scenario.limit { parts.append("at most \(limit) in flight") }
    if scenario.priority != .normal { parts.append("\(scenario.priority.rawValue) priority") }
    if scenario.pattern.isChunked {
      parts.append("a buffer of \(scenario.bufferCapacity), \(scenario.uploaders) uploaders")
    }
    if scenario.pattern.races, scenario.hedgeDelay != .zero {
      parts.append("the second mirror after \(scenario.hedgeDelay.text)")
    }
    if scenario.pattern.retries { parts += retryTexts }
    if isFlood {
      parts.append(
        "answered on four threads\(isHeldFirst ? ", once as many requests as possible are in flight" : "")")
    } else if onThreads || mostAtOnce > 1 || order != .forward {
      parts.append(
        "answered in \(order.rawValue) order\(mostAtOnce > 1 ? ", up to \(mostAtOnce) at once" : "")\(onThreads ? " on four threads" : "")"
      )
    }
    if meanwhile > 0 {
      parts.append(
        "an answer before \(meanwhile >= 1 ? "each call returns" : "\(Int(meanwhile * 100)) % of the calls return")"
      )
    }
    if !refused.isEmpty { parts.append(refusalText) }
    if transient > 0, scenario.pattern.races || scenario.retry.attempts > 1 {
      parts.append("\(Int(transient * 100)) % refused transiently")
    }
    if silent > 0 { parts.append("\(Int(silent * 100)) % never answered") }
    if silentFrom < .max { parts.append("nothing answered from request \(silentFrom) on") }
    if let unreadable {
      parts.append("\(scenario.pattern.isChunked ? "chunk" : "media file") \(unreadable) cannot be read")
    }
    if slowWork > 0 {
      parts.append(
        "\(Int(slowWork * 100)) % of all \(scenario.pattern.isChunked ? "reads" : "preparations") take 2 ms")
    }
    if fillsBuffer { parts.append("no answer before the buffer is full") }
    if dropsHandle { parts.append("the job's handle released after the start") }
    if company > 0 { parts.append("beside \(company) other posts") }
    if stillnessMilliseconds > 0 { parts.append("with pauses of \(stillnessMilliseconds) ms") }
    switch stop {
    case .never: break
    case .cancelled(let count, let isAmid):
      let moment = count == 0 ? "before any upload has succeeded" : "once \(count) of them succeeded"
      parts.append("cancelled \(moment)\(isAmid ? ", while answers come" : "")")
    case .cancelledInside(.max, let elsewhere):
      parts.append("cancelled inside the completion\(elsewhere ? ", from another thread" : "")")
    case .cancelledInside(let number, let elsewhere):
      parts.append("cancelled inside request \(number)\(elsewhere ? ", from another thread" : "")")
    case .postedInside(let number):
      parts.append("another post begun inside \(number == .max ? "the completion" : "request \(number)")")
    case .atWork(let unit, let reason):
      let work = scenario.pattern.isChunked ? "chunk \(unit) is read" : "media file \(unit) is prepared"
      switch reason {
      case .refused: parts.append("an upload refused while \(work)")
      case .cancelled: parts.append("cancelled while \(work)")
      case .unreadable: parts.append("\(work) and fails while the rest of the job is idle")
      }
    case .postRefused: parts.append("the post refused")
    case .postCancelled: parts.append("cancelled while the post is being created")
    case .cancelledLate: parts.append("cancelled after the job's end")
    }
    if cancelsAtTheEnd { parts.append("cancelled again inside the completion") }
    if cancelsRequests {
      if late != .stops { parts.append("each cancelled request \(late.rawValue)") }
      if endsBeforeCancelReturns { parts.append("cancelled requests answered before cancel() returns") }
      if isLateAfterTheEnd { parts.append("cancelled requests answered after the job's end") }
    }
    if repeatsMedia { parts.append("media files with only two different contents") }
    return parts.joined(separator: ", ")
  }

  /// Whether a correct contender may have to cancel a request in this test case.
  private var cancelsRequests: Bool {
    let retry = scenario.retry
    let hasDeadline = scenario.pattern.retries && (retry.attemptDeadline ?? retry.deadline) != nil
    return ![.never, .postRefused].contains(stop) || !refused.isEmpty || unreadable != nil
      || scenario.pattern.races || hasDeadline
  }

  private var retryTexts: [String] {
    let retry = scenario.retry
    var parts: [String] = []
    if retry.attempts > 1 {
      parts.append("up to \(retry.attempts) attempts")
    } else if exhausts {
      parts.append("one attempt at each upload")
    }
    if retry.firstBackoff > .zero {
      parts.append(
        "a backoff of \(retry.firstBackoff.text(to: max(retry.firstBackoff, retry.longestBackoff)))")
    }
    if let time = retry.attemptDeadline { parts.append("\(time.text) for each attempt") }
    if let time = retry.deadline { parts.append("\(time.text) for the whole job") }
    return parts
  }

  private var refusalText: String {
    let texts = refused.sorted { $0.key < $1.key }.map { unit, place in
      let name = scenario.uploadName(unit)
      return switch scenario.pattern.requests {
      case .one: "\(name) refused"
      case .mirrors: "\(name) refused by both mirrors"
      case .urlThenUpload: "\(name) refused \(place % 2 == 0 ? "its URL" : "when it is uploaded")"
      case .attempts where exhausts: "each attempt at \(name) refused transiently"
      case .attempts: "\(name) refused permanently at attempt \(place)"
      }
    }
    let others = texts.count > 3 ? ", and \((texts.count - 3).of("other")) likewise" : ""
    return texts.prefix(3).joined(separator: ", ") + others
      + (refusedAfter > 0 ? ", once \((refusedAfter).of("other")) succeeded" : "")
  }
}

extension Pattern {
  fileprivate func refusalReason(of index: Int, attempt: Int) -> String {
    switch requests {
    case .one: "refused"
    case .urlThenUpload: "\(index % 2 == 0 ? "URL" : "upload") refused"
    case .mirrors: "refused by the \(Mirror(rawValue: index % 2)!) mirror"
    case .attempts: "attempt \(attempt) refused"
    }
  }
}

extension RetryPolicy {
  mutating func wait(_ first: Duration, _ longest: Duration) {
    (firstBackoff, longestBackoff) = (first, longest)
  }
}

extension Scenario {
  /// Creates a scenario of `size` uploads of 24 bytes each, or of one media file with `size` chunks of 8 bytes.
  package init(tried pattern: Pattern, _ size: Int, _ change: (inout Scenario) -> Void = { _ in }) {
    self.init(
      name: pattern.rawValue, pattern: pattern, service: pattern.blocksThreads ? .blocking : .instant,
      photos: pattern.isChunked ? 1 : pattern.looksUp ? 0 : size,
      payloadBytes: pattern.isChunked ? 8 * size : 24
    ) {
      $0.chunkBytes = 8
      change(&$0)
    }
  }

  /// Makes a post of synthetic media. `number` distinguishes posts.
  package func makePost(_ number: Int = 0) -> Post {
    let seed = UInt64(photos * 31 + payloadBytes + 1_000_003 * number) + 1
    return .synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
  }

  package func refusal(ofLedgerIndex index: Int, reason: String = "refused", isTransient: Bool = false)
    -> any Error
  {
    let subject = index / pattern.requestsPerUpload
    if pattern.looksUp, let detail = PostDetail(rawValue: subject) {
      return LookupFailure(detail: detail, reason: reason)
    }
    return UploadFailure(mediaIndex: subject, reason: reason, isTransient: isTransient)
  }
}
