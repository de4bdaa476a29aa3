import UploadScenario

extension Play {
  /// Generates a test case for one of the goals. Most sizes are small, powers of two, or the limit itself.
  init(_ goals: [Goal], _ pattern: Pattern, seed: UInt64, mostUploads: Int) {
    var dice = Dice(generator: SeededGenerator(seed: seed))
    let goal = dice.one(
      of: goals.filter { $0.fits(pattern) } + (goals.contains { $0.fits(pattern) } ? [] : [.success]))
    scenario = Scenario(tried: pattern, 0)
    self.seed = seed
    let isDuel = goal.isOfFew && dice.chance(0.2)
    drawScenario(goal, &dice, mostUploads, isDuel: isDuel)
    drawAnswers(&dice)
    drawGoal(goal, &dice)
    if isDuel {
      (onThreads, mostAtOnce, meanwhile, company, stillnessMilliseconds, slowWork) = (true, 64, 0, 0, 0, 0)
    }
    if !mayAnswerMeanwhile { meanwhile = 0 }
    mostAtOnce = max(mostAtOnce, scenario.fanOut / 24)
    // Other posts (`company`) would delay the timers of the tested post.
    if pattern.retries, isTimed { company = 0 }
    // The job's handle is kept if the job may have to be cancelled, for example because it may wait for a very long timer.
    let mayStandStill =
      pattern.races && scenario.hedgeDelay > .seconds(1) || scenario.retry.firstBackoff > .seconds(1)
    if mayStandStill || ![.never, .postRefused].contains(stop) { dropsHandle = false }
  }

  /// Whether answers may come before the calls that make requests return.
  private var mayAnswerMeanwhile: Bool {
    switch stop {
    case .cancelledInside, .postedInside, .atWork: false
    default: !isTimed && !fillsBuffer && !isFlood && company < 100
    }
  }

  /// - Parameter isDuel: whether a few answers come as simultaneously as threads allow.
  private mutating func drawScenario(_ goal: Goal, _ dice: inout Dice, _ mostUploads: Int, isDuel: Bool) {
    let pattern = scenario.pattern
    var size = isDuel ? dice.one(of: [1, 1, 2, 2, 3]) : dice.size()
    switch goal {
    case .empty: size = 0
    case .manyUploads:
      // Uploads of `publish` are fast enough to test a post with more of them than 16 bits can count.
      size = pattern == .publish ? 65_537 : dice.one(of: [1_000, 1_000, 1_024, 4_096])
    case .manyPosts: size = dice.one(of: [1, 3, 3, 4, 9])
    case .slowAttempt, .backoff: size = dice.one(of: [1, 1, 2, 3, 5, 9])
    // Size 0 is included, because a post without media files can also miss its deadline.
    case .deadline: size = dice.one(of: [0, 0, 1, 1, 2, 5, 9])
    case .hedgedInPart: size = dice.one(of: [2, 3, 5, 17, 33])
    case .readAhead, .readAheadThenStop: size = dice.one(of: [10, 20, 40, 80])
    case .stoppedAtWork: size = dice.one(of: [1, 2, 3, 4, 9, 20])
    default: break
    }
    if pattern.blocksThreads { size = min(size, 65) }
    if pattern.requestsPerUpload > 1 { size = min(size, 2_000) }
    size = min(size, mostUploads, Post.mostMedia)
    if pattern.isChunked {
      scenario.photos = 1
      scenario.chunkBytes = dice.one(of: [8, 8, 16, 64])
      scenario.payloadBytes = max(0, size * scenario.chunkBytes - dice.one(of: [0, 3, 7]))
      scenario.bufferCapacity = dice.one(of: [0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 33])
      scenario.uploaders = dice.one(of: [1, 1, 2, 2, 3, 4, 5, 8, 9, 17])
      if goal == .readAhead || goal == .readAheadThenStop {
        scenario.bufferCapacity = dice.one(of: [0, 1, 2, 3, 4, 8, 9])
      }
    } else if !pattern.looksUp {
      let videos = dice.chance(0.3) ? dice.number(in: 0...size) : 0
      (scenario.photos, scenario.videos) = (size - videos, videos)
    }
    if pattern.takesLimit, dice.chance(0.75) {
      let near = [size - 1, size, size + 1].filter { $0 > 0 }
      scenario.limit =
        dice.chance(0.2) && !near.isEmpty
        ? dice.one(of: near)
        : dice.chance(0.2) && size > 1
          ? dice.number(in: 1...size - 1)
          : dice.one(of: [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 32, 33, 64, 65, 100])
    }
    // With a limit of one blocking call, every start after a failure is a breach.
    if pattern.blocksThreads, dice.chance(0.2) { scenario.limit = 1 }
    if goal == .manyUploads { scenario.limit = nil }
    if pattern.prepares {
      scenario.priority = dice.one(of: PostPriority.allCases)
      scenario.preparePasses = dice.one(of: [1, 1, 2])
    }
    scenario.hedgeDelay = dice.one(of: [
      .zero, .zero, .zero, .seconds(3600), .seconds(3600), .microseconds(2_900),
    ])
    scenario.retry = RetryPolicy(
      attempts: dice.one(of: [1, 2, 3, 3, 4, 5, 6]), firstBackoff: .zero, seed: seed)
    if dice.chance(0.1) { scenario.retry.attemptDeadline = .seconds(3600) }
    if dice.chance(0.1) { scenario.retry.deadline = .seconds(3600) }
  }

  private mutating func drawAnswers(_ dice: inout Dice) {
    order = dice.one(of: CompletionOrder.allCases)
    if dice.chance(0.5) { mostAtOnce = dice.one(of: [2, 3, 4, 8, 64, max(1, scenario.fanOut)]) }
    onThreads = dice.chance(0.35)
    late = dice.one(of: Backend.Late.allCases)
    isLateAfterTheEnd = dice.chance(0.3)
    endsBeforeCancelReturns = dice.chance(0.2)
    repeatsMedia = dice.chance(0.15)
    if dice.chance(0.15) { meanwhile = dice.one(of: [0.2, 0.5, 1]) }
    if dice.chance(0.1) { stillnessMilliseconds = 1 }
    if scenario.pattern.prepares || scenario.pattern.isChunked, dice.chance(0.2) {
      slowWork = dice.one(of: [0.3, 1])
    }
    if dice.chance(0.1) { dropsHandle = true }
    if dice.chance(0.08) { company = dice.one(of: [1, 3, 8]) }
    if dice.chance(0.3) { transient = dice.one(of: [0.1, 0.3, 0.6]) }
  }

  private mutating func drawGoal(_ goal: Goal, _ dice: inout Dice) {
    let size = scenario.fanOut
    switch goal {
    case .success: break
    case .failure:
      refuse(&dice)
      if scenario.pattern.retries, dice.chance(0.2) {
        // A job that wrongly retries after a permanent refusal waits for an hour, which shows as a hang.
        refused = refused.mapValues { _ in 1 }
        scenario.retry.wait(.seconds(3600), .seconds(3600))
        transient = 0
      }
    case .cancellation: cancel(&dice)
    case .empty:
      stop = dice.one(of: [.never, .never, .postRefused, .postCancelled, .cancelled(after: 0, isAmid: false)])
    case .refusedPost: stop = .postRefused
    case .cancelledPost: (stop, dropsHandle) = (.postCancelled, false)
    case .lateCancel: (stop, dropsHandle) = (.cancelledLate, false)
    case .droppedHandle: dropsHandle = true
    case .unreadable:
      unreadable =
        dice.chance(0.4) ? max(0, size - 1) : dice.number(in: 0...max(0, size - 1))
    case .readAhead: fillsBuffer = true
    case .readAheadThenStop:
      fillsBuffer = true
      if dice.chance(0.5) { refuse(&dice) } else { cancel(&dice) }
    case .hedge:
      if dice.chance(0.5) {
        (scenario.hedgeDelay, silent) = (
          .microseconds(dice.one(of: [900, 2_900, 19_900])), dice.one(of: [0.3, 1])
        )
      }
    case .hedgedInPart:
      (scenario.hedgeDelay, silent) = (.microseconds(19_900), dice.one(of: [0.3, 0.3, 0.6]))
      // After a pause of 15 ms, most of the hedge delay has passed when the first primary mirrors answer.
      (mostAtOnce, stillnessMilliseconds, company) = (64, dice.one(of: [0, 15]), 0)
    case .transient:
      transient = dice.one(of: [0.5, 0.9])
      scenario.retry.attempts = dice.one(of: [2, 3, 4, 5, 6])
      if dice.chance(0.8) { scenario.hedgeDelay = .zero }
    case .exhausted:
      scenario.retry.attempts = dice.number(in: 1...9)
      refuse(&dice)
      exhausts = true
      endsWithoutABackoff(&dice)
    case .slowAttempt: drawSlowAttempt(&dice)
    case .backoff: drawBackoff(&dice)
    case .deadline: drawDeadline(&dice)
    case .meanwhile:
      (meanwhile, endsBeforeCancelReturns) = (dice.one(of: [0.3, 1, 1]), true)
      if dice.chance(0.6) { refuse(&dice) }
    case .stoppedAtWork:
      (slowWork, transient, company, stillnessMilliseconds, fillsBuffer) = (0, 0, 0, 0, false)
      let begun =
        scenario.pattern.isChunked
        ? max(1, scenario.bufferCapacity) + scenario.uploaders : scenario.limit ?? size
      stop = .atWork(dice.number(in: 0...max(0, min(size, begun, 16) - 1)), dice.one(of: AtWork.allCases))
    case .postedInside:
      // A deadlock would block the answering thread forever, so separate threads answer, not the one that runs the test case.
      (onThreads, company) = (true, 0)
      let post = size * scenario.pattern.requestsPerUpload + 1
      stop = .postedInside(dice.one(of: [.max, post, 1, dice.number(in: 1...post)]))
    case .reentrant:
      let post = size * scenario.pattern.requestsPerUpload + 1
      if dice.chance(0.3) {
        // A job may hold different locks when it is cancelled, fails or succeeds.
        if dice.chance(0.5) { cancel(&dice) } else { refuse(&dice) }
        (cancelsAtTheEnd, dropsHandle) = (true, false)
        return
      }
      dropsHandle = false
      let number = dice.one(of: [.max, .max, post, dice.number(in: 1...post)])
      stop = .cancelledInside(number, fromElsewhere: dice.chance(0.7))
    case .manyUploads:
      (isFlood, company, stillnessMilliseconds, transient) = (size > 1_000 || dice.chance(0.3), 0, 0, 0)
      isHeldFirst = size > 1_000 || isFlood && dice.chance(0.5)
    case .manyPosts: company = 100
    }
  }

  private mutating func refuse(_ dice: inout Dice) {
    let size = scenario.fanOut
    guard size > 0 else { return stop = .postRefused }
    for _ in 0..<dice.one(of: [1, 1, 1, 2, 3]) {
      let unit = dice.chance(0.2) ? size - 1 : dice.number(in: 0...size - 1)
      refused[unit] = dice.number(in: 1...max(2, scenario.retry.attempts))
    }
    refusedAfter = dice.chance(0.4) ? 0 : dice.number(in: 0...size)
    // Both mirrors can refuse an upload only if the second mirror is requested, too.
    if scenario.hedgeDelay > .seconds(1), dice.chance(0.8) { scenario.hedgeDelay = .zero }
  }

  /// Sets a long backoff, which exposes a job that wrongly waits for it after the last attempt.
  private mutating func endsWithoutABackoff(_ dice: inout Dice) {
    switch dice.one(of: [0, 1, 2, 2]) {
    case 0:
      scenario.retry.attempts = 1
      scenario.retry.wait(.seconds(3600), .seconds(3600))
    case 1:
      scenario.retry.attempts = 2
      scenario.retry.wait(.milliseconds(120), .seconds(1))
    default: break
    }
  }

  private mutating func cancel(_ dice: inout Dice) {
    dropsHandle = false
    let size = scenario.fanOut
    meanwhile = dice.chance(0.8) ? 0 : min(meanwhile, 0.5)
    let after = dice.one(of: [size, max(0, size - 1), dice.number(in: 0...size), dice.number(in: 0...size)])
    stop =
      dice.chance(0.15)
      ? .cancelledInside(dice.number(in: 1...max(1, size)), fromElsewhere: dice.chance(0.3))
      : .cancelled(after: after, isAmid: dice.chance(0.3))
    cancelsAtTheEnd = dice.chance(0.3)
    if scenario.pattern.retries, dice.chance(0.15) {
      scenario.retry.wait(.seconds(3600), .seconds(3600))
      (transient, scenario.retry.attempts) = (0.5, max(2, scenario.retry.attempts))
    }
  }

  private mutating func drawSlowAttempt(_ dice: inout Dice) {
    (scenario.retry.attempts, onThreads) = (dice.one(of: [1, 2, 3, 3, 4]), false)
    scenario.retry.attemptDeadline = dice.one(of: [
      .microseconds(2_900), .microseconds(8_900), .milliseconds(5), .milliseconds(20), .zero,
    ])
    if dice.chance(0.5) {
      scenario.retry.wait(.milliseconds(4), .milliseconds(9))
    }
    silent = dice.one(of: [0.5, 1])
    transient = dice.one(of: [0, 0.5])
    // A pause before the first answer exposes a deadline that does not count from the start of the attempt.
    stillnessMilliseconds = dice.one(of: [0, 5])
  }

  private mutating func drawBackoff(_ dice: inout Dice) {
    if dice.chance(0.25) {
      scenario.retry.wait(.seconds(3600), .seconds(3600))
      (transient, scenario.retry.attempts) = (1, max(2, scenario.retry.attempts))
      stop = .cancelled(after: 0, isAmid: false)
      dropsHandle = false
      return
    }
    scenario.retry.attempts = dice.one(of: [2, 3, 4, 5])
    scenario.retry.firstBackoff = .microseconds(dice.one(of: [3_900, 6_000, 12_000]))
    scenario.retry.longestBackoff = .milliseconds(dice.one(of: [6, 10, 50]))
    transient = 1
  }

  private mutating func drawDeadline(_ dice: inout Dice) {
    scenario.retry.deadline = dice.one(of: [.milliseconds(8), .milliseconds(15), .zero, .zero, .seconds(-1)])
    // The service stops answering at a random upload, or at the request to create the post after all retries.
    let isRetried = dice.chance(0.4)
    silentFrom =
      isRetried
      ? scenario.fanOut * scenario.retry.attempts + 1
      : dice.number(in: 1...scenario.fanOut + 1)
    if isRetried { transient = 1 }
    if dice.chance(0.3) {
      scenario.retry.wait(.seconds(3600), .seconds(3600))
      transient = 0.5
    }
    if dice.chance(0.3) { scenario.retry.attemptDeadline = .seconds(3600) }
  }
}

extension Goal {
  fileprivate var isOfFew: Bool {
    [.success, .failure, .cancellation, .transient, .exhausted].contains(self)
  }

  fileprivate func fits(_ pattern: Pattern) -> Bool {
    switch self {
    case .success, .failure, .cancellation, .refusedPost, .cancelledPost, .lateCancel, .droppedHandle,
      .meanwhile, .reentrant, .postedInside, .manyPosts:
      true
    case .empty: !pattern.looksUp
    case .unreadable, .stoppedAtWork: pattern.prepares || pattern.isChunked
    case .readAhead, .readAheadThenStop: pattern.isChunked
    case .hedge, .hedgedInPart: pattern.races
    case .transient: pattern.races || pattern.retries
    case .exhausted, .slowAttempt, .backoff, .deadline: pattern.retries
    // Serial and blocking patterns would take too long.
    case .manyUploads: !pattern.isSerial && !pattern.blocksThreads
    }
  }
}

/// A random generator that prefers edge cases, such as 1, the limit, and powers of two.
private struct Dice {
  var generator: SeededGenerator

  mutating func chance(_ probability: Double) -> Bool { generator.nextUnit() < probability }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int(generator.next() % UInt64(values.count))]
  }

  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func size() -> Int {
    switch generator.nextUnit() {
    case ..<0.6: Int.random(in: 1...7, using: &generator)
    case ..<0.85: one(of: [8, 9, 10, 12, 15, 16, 17, 20, 31, 32, 33, 40])
    case ..<0.985: one(of: [63, 64, 65, 66, 100, 127, 128, 129])
    case ..<0.995: one(of: [255, 256, 257])
    default: 1_000
    }
  }
}
