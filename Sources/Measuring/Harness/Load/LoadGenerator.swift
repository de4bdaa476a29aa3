import Results
import UploadScenario

/// Starts each post (a job of uploads) when it is due, even if earlier posts are still in flight, and checks all results.
struct LoadGenerator {
  /// The longest time to spin before a post is due. The kernel rarely wakes a sleeping thread more than this too late.
  private static let longestSpinNanoseconds = 50_000.0
  private static let spinShare = 0.1
  private static let leadNanoseconds: UInt64 = 1_000_000
  /// The interval between checks for ended posts after the last start.
  private static let pollNanoseconds: UInt64 = 100_000
  /// Posts count as hung if none has ended for this time plus four times the ideal duration of a post.
  private static let stillnessNanoseconds: UInt64 = 1_000_000_000
  /// No result is checked while less than this time is left until the next post is due.
  private static let marginNanoseconds: UInt64 = 20_000

  private let place: LoadPlace
  private let bench: Bench
  private let request: LoadRequest
  private let clock: HarnessClock
  private let spinNanoseconds: UInt64

  private var reply = LoadReading()
  private var early = LogHistogram()
  private var free: [LoadSlot]
  private var waiting: [LoadSlot] = []
  private var start: UInt64 = 0
  private var lastEnd: UInt64 = 0
  private var areGivenUp = false
  private var judgingNanoseconds: UInt64 = 0

  init(_ place: LoadPlace, _ request: LoadRequest, clock: HarnessClock) {
    (self.place, bench) = (place, place.bench)
    self.request = request
    self.clock = clock
    spinNanoseconds = UInt64(min(Self.longestSpinNanoseconds, Self.spinShare * 1e9 / request.postsPerSecond))
    free = place.slots.reversed()
  }

  /// Measures one window of load. After `timedOut`, the caller must end the process, since the contender may still be busy.
  mutating func run() -> LoadReading {
    let offsets = request.schedule.offsets(
      perSecond: request.postsPerSecond, withinNanoseconds: request.windowNanoseconds, seed: request.seed)
    reply.idealNanoseconds = bench.idealNanoseconds.map(Int.init)
    let usage = ResourceUsage.now()
    let processors = ProcessorTime.now()
    // The first post is due a little later than now, so that the set-up does not delay it.
    start = clock.nanoseconds() + Self.leadNanoseconds
    let lastIntended = startAll(offsets)
    reply.windowNanoseconds = max(reply.windowNanoseconds, Int(lastIntended - start))
    drain()
    reply.drainNanoseconds = Int(max(lastEnd, lastIntended) - lastIntended)
    reply.earlyLatencyNanoseconds = early.percentile(0.5)
    var used = ResourceUsage()
    used.add(since: usage)
    reply.processNanoseconds = used.cpuNanoseconds
    let all = processors.flatMap { ProcessorTime.now()?.since($0) }
    (reply.busyNanoseconds, reply.idleNanoseconds) = (all?.busyNanoseconds, all?.idleNanoseconds)
    reply.stealNanoseconds = (all?.stealNanoseconds).map(Int.init)
    return reply
  }

  // MARK: Starting posts

  /// Starts every post when it is due. Returns the time at which the last one was due.
  private mutating func startAll(_ offsets: [UInt64]) -> UInt64 {
    reply.windowNanoseconds = Int(request.windowNanoseconds)
    var lastIntended = start
    var lastReturn = start
    for offset in offsets {
      let due = start + offset
      useTime(until: due)
      clock.sleep(due, spinNanoseconds)
      reply.posts.due += 1
      lastIntended = due
      guard let slot = freeSlot() else {
        reply.isFull = true
        reply.windowNanoseconds = Int(offset)
        reply.posts.givenUp += 1
        return lastIntended
      }
      slot.intended = due
      let completion = slot.post.open()
      let now = clock.nanoseconds()
      reply.holdUps.add(max(due, lastReturn) - due)
      reply.lateness.add(max(now, due, lastReturn) - max(due, lastReturn))
      slot.handle = bench.contender.start(
        bench.scenario, post: bench.post, service: slot.service, completion: completion)
      lastReturn = clock.nanoseconds()
      collect()
      reply.posts.peakInFlight = max(
        reply.posts.peakInFlight, place.slots.count - free.count - waiting.count)
      if reply.outcome != .measured { return lastIntended }
    }
    return lastIntended
  }

  private mutating func useTime(until due: UInt64) {
    while true {
      collect()
      guard clock.nanoseconds() + 2 * judgingNanoseconds + Self.marginNanoseconds < due, judgeOne() else {
        return
      }
    }
  }

  private mutating func freeSlot() -> LoadSlot? {
    if let slot = free.popLast() { return slot }
    collect()
    _ = judgeOne()
    return free.popLast()
  }

  // MARK: Posts that have ended

  private mutating func collect() {
    var indices: [Int] = []
    place.ended.drain { indices.append($0) }
    for index in indices {
      // The cancellation handle may keep the completion alive, and the harness waits for the completion's release.
      place.slots[index].handle = nil
      waiting.append(place.slots[index])
    }
  }

  /// Checks one post that has ended completely. Returns false if there is none.
  private mutating func judgeOne() -> Bool {
    guard let index = waiting.firstIndex(where: { $0.post.isQuiet }) else { return false }
    let begin = clock.nanoseconds()
    let slot = waiting[index]
    waiting.swapAt(index, waiting.count - 1)
    waiting.removeLast()
    judge(slot)
    free.append(slot)
    judgingNanoseconds = clock.nanoseconds() - begin
    return true
  }

  private mutating func judge(_ slot: LoadSlot) {
    if let ending = slot.post.ending {
      let wasGivenUp = if case .failure(is CancellationError) = ending.result { areGivenUp } else { false }
      if !wasGivenUp { lastEnd = max(lastEnd, ending.nanoseconds) }
      record(ending.nanoseconds, of: slot)
      if wasGivenUp {
        reply.posts.givenUp += 1
        return
      }
    }
    if let fault = slot.post.fault(bench.expectation, slot.post.ledger.record()) {
      reply.posts.wrong += 1
      reply.fail(fault.outcome, fault.reason)
    } else {
      reply.posts.completed += 1
    }
  }

  private mutating func record(_ end: UInt64, of slot: LoadSlot) {
    let due = slot.intended
    let latency = max(end, due) - due
    reply.latencies.add(latency)
    if due - start < request.windowNanoseconds / 4 { early.add(latency) }
  }

  // MARK: The end of the window

  /// Waits for posts in flight. Cancels those that take too long, or all after a failure.
  private mutating func drain() {
    let limit = request.drainNanoseconds(idealNanoseconds: bench.idealNanoseconds)
    let isBroken = reply.isFull || reply.outcome != .measured
    if isBroken || !wait(untilNanoseconds: clock.nanoseconds() + limit) {
      if !isBroken { checkProgress() }
      giveUp()
    }
    let timeout = bench.scenario.timeoutNanoseconds(idealNanoseconds: bench.idealNanoseconds)
    guard !wait(untilNanoseconds: clock.nanoseconds() + timeout) else { return }
    if let slot = waiting.first {
      reply.fail(.wrong, "something is left: \(slot.post.remains)")
    } else {
      let left = place.slots.count - free.count
      reply.fail(
        .timedOut,
        "\(left) post\(left == 1 ? "" : "s") did not complete within \(timeout / 1_000_000_000) s of their cancellation"
      )
    }
  }

  /// Fails if the remaining posts hang. Slow posts do not count as hung: they, or at least their uploads, still end.
  private mutating func checkProgress() {
    let timeout = Self.stillnessNanoseconds + 4 * (bench.idealNanoseconds ?? 0)
    guard clock.nanoseconds() - max(lastEnd, start) > timeout else { return }
    let ended = endedRequests
    if wait(untilNanoseconds: clock.nanoseconds() + timeout) || endedRequests > ended { return }
    if let slot = waiting.first { return reply.fail(.wrong, "something is left: \(slot.post.remains)") }
    let left = place.slots.count - free.count
    reply.fail(
      .timedOut,
      "\(left) post\(left == 1 ? "" : "s") did not complete, and no other ended for \(timeout / 1_000_000) ms"
    )
  }

  private var endedRequests: Int {
    place.slots.reduce(0) { sum, slot in
      slot.post.ledger.record().requests.reduce(sum) { $0 + $1.finished + $1.failed + $1.cancelled }
    }
  }

  private mutating func giveUp() {
    collect()
    lastEnd = max(lastEnd, clock.nanoseconds())
    areGivenUp = true
    for slot in place.slots where slot.handle != nil {
      slot.post.ledger.stop()
      slot.handle?.cancel()
    }
  }

  /// Checks posts as they end. Returns false if one is still in flight at the deadline.
  private mutating func wait(untilNanoseconds deadline: UInt64) -> Bool {
    while true {
      collect()
      while judgeOne() {}
      if free.count == place.slots.count { return true }
      let now = clock.nanoseconds()
      if now >= deadline { return false }
      clock.sleep(min(deadline, now + Self.pollNanoseconds), 0)
    }
  }
}
