import RawThreads
import Results
import Synchronization
import UploadScenario

/// Measures posts (jobs of uploads) of which several are in flight at any time. All are prepared before the first starts and
/// checked after the last has ended, so only posts are timed. One thread uses this type; any may call a completion.
final class OverlappingPosts {
  var capacity: Int { slots.count }

  private let bench: Bench
  private let clock: HarnessClock
  private let turns = Turns()
  private let slots: [Slot]

  init(_ setup: UploadSetup, _ bench: Bench, capacity: Int) throws {
    let clock = setup.clock
    (self.bench, self.clock) = (bench, clock)
    let ledgers = (0..<capacity).map { _ in Ledger(of: bench.scenario, clock) }
    let turns = turns
    slots = zip(ledgers, try setup.services(for: bench, ledgers)).map { ledger, service in
      Slot(service: service, ledger: ledger, clock: clock, turns: turns)
    }
  }

  /// Measures the time from the first post's start to the last post's end.
  func publish(
    _ count: Int, _ purpose: SamplePurpose, timeoutNanoseconds: UInt64, into reply: inout SampleReply
  ) {
    guard count > 0, let overlap = bench.scenario.overlap else { return }
    let slots = slots[..<count]
    for slot in slots { slot.open() }
    turns.open(count: count) { [contender = bench.contender, scenario = bench.scenario, post = bench.post] in
      slots[$0].start(by: contender, scenario, post)
    }
    defer { turns.close() }
    let usage = ResourceUsage.now()
    let start = clock.nanoseconds()
    // Allocations of this thread count as the contender's only while this thread starts posts.
    if purpose.isCounted { Counters.setThreadCounted(true) }
    for _ in 0..<min(overlap, count) { turns.startNext() }
    if purpose.isCounted { Counters.setThreadCounted(false) }

    let rows = (count + overlap - 1) / overlap
    let deadline = start + timeoutNanoseconds + UInt64(rows) * 100_000_000
    while !turns.areOver, clock.park(turns.driver, deadline) {}
    guard turns.areOver else {
      let left = slots.count { $0.post.ending == nil }
      let limit = "\((deadline - start) / 1_000_000) ms"
      return reply.fail(.timedOut, "\(left) of \(count) posts did not complete within \(limit)")
    }
    for slot in slots where !slot.post.isQuiet {
      while !slot.post.isQuiet, clock.nanoseconds() < deadline {
        _ = clock.park(turns.driver, min(deadline, clock.nanoseconds() + 50_000))
      }
    }
    reply.usage.add(since: usage)
    if purpose == .memory { reply.inFlightBytes = PeakMemory.bytes() }

    let end = slots.compactMap { $0.post.ending?.nanoseconds }.max() ?? start
    reply.wallNanoseconds += max(end, start) - start
    // At most `overlap` posts are in flight at once, so together they take at least `rows` times as long as one post.
    if let ideal = bench.idealNanoseconds {
      reply.idealNanoseconds = (reply.idealNanoseconds ?? 0) + ideal * UInt64(rows)
      reply.failIfTooFast(max(end, start) - start, ideal * UInt64(rows))
    }
    for slot in slots {
      let record = slot.post.ledger.record()
      reply.add(record, wastedBytes: record.wastedBytes(of: bench.byteCounts, bench.scenario))
      if let fault = slot.post.fault(bench.expectation, record) { reply.fail(fault.outcome, fault.reason) }
      if !slot.post.isQuiet { reply.fail(.wrong, "something is left: \(slot.post.remains)") }
    }
  }
}

/// Starts the next post (a job of uploads) whenever a post ends, on the thread that called the ended post's completion.
private final class Turns: Sendable {
  /// Wakes the harness's thread at the end of the last post, and at each release of a completion after that.
  let driver = Parker()
  private let count = Atomic<Int>(0)
  private let started = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  private let start = Mutex<(@Sendable (Int) -> Void)?>(nil)

  /// Prepares to measure `count` posts. Call this while no post is in flight.
  func open(count: Int, start: @escaping @Sendable (Int) -> Void) {
    self.count.store(count, ordering: .relaxed)
    started.store(0, ordering: .relaxed)
    ended.store(0, ordering: .relaxed)
    self.start.withLock { $0 = start }
  }

  func close() { start.withLock { $0 = nil } }

  var areOver: Bool { ended.load(ordering: .acquiring) >= count.load(ordering: .relaxed) }

  func startNext() {
    let number = started.add(1, ordering: .relaxed).oldValue
    guard number < count.load(ordering: .relaxed), let start = start.withLock({ $0 }) else { return }
    start(number)
  }

  func postEnded() {
    // `ended` is increased last, because the harness's thread reads the posts once `ended` equals their number.
    startNext()
    ended.add(1, ordering: .releasing)
    if areOver { driver.unpark() }
  }

  func completionReleased() { if areOver { driver.unpark() } }
}

private final class Slot: Sendable {
  struct Place: PostListener {
    let turns: Turns
    let handle: PostHandle

    func postEnded() {
      // The cancellation handle may keep the completion alive, and the harness waits for the completion's release.
      handle.drop()
      turns.postEnded()
    }

    func completionReleased(wasCalled: Bool) { wasCalled ? turns.completionReleased() : turns.postEnded() }
  }

  let service: any UploadService
  let post: PostInFlight<Place>
  private let handle = PostHandle()
  private let completion = Mutex<Completion?>(nil)

  init(service: any UploadService, ledger: Ledger, clock: HarnessClock, turns: Turns) {
    self.service = service
    post = PostInFlight(ledger: ledger, clock: clock, listener: Place(turns: turns, handle: handle))
  }

  func open() {
    handle.open()
    completion.withLock { $0 = post.open() }
  }

  /// Starts the post, on any thread. Call it once after each `open`.
  func start(by contender: any Contender, _ scenario: Scenario, _ media: Post) {
    guard let completion = completion.withLock({ $0.take() }) else { return }
    handle.keep(contender.start(scenario, post: media, service: service, completion: completion))
  }
}

/// Keeps a post's handle until the post ends, which may happen before the contender has returned the handle.
private final class PostHandle: Sendable {
  private enum State {
    case expected
    case kept(any Cancellable)
    case dropped
  }

  private let state = Mutex(State.expected)

  func open() { state.withLock { $0 = .expected } }

  func keep(_ handle: any Cancellable) { state.withLock { if case .expected = $0 { $0 = .kept(handle) } } }

  func drop() {
    // The handle is released outside the lock, since a `deinit` may run any code.
    let last = state.withLock { state in
      defer { state = .dropped }
      return state
    }
    withExtendedLifetime(last) {}
  }
}
