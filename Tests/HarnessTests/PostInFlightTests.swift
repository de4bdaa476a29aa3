import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct PostInFlightTests {
  /// A listener receives the end of each post once: when its completion is called, or released without a call.
  @Test(arguments: [0, 1, 2])
  func `a post ends once, however often its completion is called`(calls: Int) {
    let clock = FakeClock().clock
    let ended = EndedPosts(slotCount: 1)
    let post = PostInFlight(
      ledger: Ledger(requestCount: 0, nanoseconds: clock.nanoseconds), clock: clock,
      listener: EndedPosts.Place(list: ended, slot: 0))
    for _ in 0..<3 {
      var holder: Completion? = post.open()
      for _ in 0..<calls { holder?(.failure(CancellationError())) }
      var slots: [Int] = []
      ended.drain { slots.append($0) }
      #expect(slots.count == min(calls, 1))
      #expect(!post.isQuiet)
      holder = nil
      ended.drain { slots.append($0) }
      #expect(slots == [0])
      #expect(post.isQuiet)
      #expect(post.completionCount == calls)
    }
  }

  /// Its timer fires on `beatOnce`, and at first by itself, unless it is dead.
  private final class Heart: PartialContender {
    let name = "heart"
    let patterns = [Pattern.blocking]
    let beat = Mutex<(@Sendable () -> Void)?>(nil)
    let isDead: Bool

    init(isDead: Bool = false) { self.isDead = isDead }

    func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
      self.beat.withLock { $0 = beat }
      if !isDead { beat() }
      return FakeService.Handle { self.beat.withLock { $0 = nil } }
    }

    func beatOnce() {
      let beat = beat.withLock { $0 }
      beat?()
    }
  }

  private let clock = FakeClock().clock

  private func pass(_ milliseconds: UInt64) {
    _ = clock.park(Parker(), clock.nanoseconds() + milliseconds * 1_000_000)
  }

  /// The fake clock's own steps take some hundred nanoseconds.
  private func milliseconds(_ nanoseconds: UInt64?) -> UInt64? { nanoseconds.map { $0 / 1_000_000 } }

  @Test func `the longest wait beyond the interval counts`() {
    let heart = Heart()
    let (_, worst) = TimerLag.worst(of: heart, clock: clock) {
      for wait: UInt64 in [1, 5, 2] {
        pass(wait)
        heart.beatOnce()
      }
    }
    #expect(milliseconds(worst) == 4)
  }

  @Test func `a timer that never fires is late at the end`() {
    let (_, worst) = TimerLag.worst(of: Heart(), clock: clock) { pass(8) }
    #expect(milliseconds(worst) == 7)
  }

  @Test func `an idiom without a timer has no lag`() {
    let (value, worst) = TimerLag.worst(of: Heart(isDead: true), clock: clock) { 42 }
    #expect(value == 42)
    #expect(worst == nil)
  }
}

/// A post behind others, with contenders of known order.
@Suite(.ownThread) struct BackgroundPostsTests {
  private func reply(
    _ behaviour: QueueingUploads.Behaviour, behind: Int = 40, priority: PostPriority = .high, times: Int = 1,
    purpose: SamplePurpose = .time, timeoutNanoseconds: UInt64? = nil
  ) throws -> SampleReply {
    var scenario = Scenario(name: "behind", pattern: .presigned, photos: 3)
    scenario.behind = behind
    scenario.priority = priority
    let worker = UploadWorker(.faked(QueueingUploads(behaviour)))
    return try worker.run(
      SampleRequest(
        scenario: scenario, iterations: times, purpose: purpose, timeoutNanoseconds: timeoutNanoseconds))
  }

  @Test func `an urgent post passes all waiting posts that have not begun`() throws {
    let reply = try reply(.urgentFirst)
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    // None if the thread has not begun the first.
    #expect(try (0...1).contains(#require(reply.postsBefore)))
  }

  @Test(arguments: [(QueueingUploads.Behaviour.inOrder, PostPriority.high), (.urgentFirst, .low)])
  func `without priorities, every earlier post comes first`(
    behaviour: QueueingUploads.Behaviour, priority: PostPriority
  ) throws { #expect(try reply(behaviour, priority: priority).postsBefore == 40) }

  @Test func `each post of a sample has background posts of its own`() throws {
    #expect(try reply(.inOrder, times: 3).postsBefore == 120)
  }

  @Test func `preparing on the caller's thread does not deadlock`() throws {
    #expect(try reply(.onTheCaller).postsBefore == 40)
  }

  @Test(
    arguments: [
      (.repeatsLow, "a low-priority background post: completion: called 2 times, expected once"),
      (.forgetsLow, "a low-priority background post did not complete before its timeout"),
      (.keepsLow, "a low-priority background post has ended, but its requests or its completion still exist"),
      (
        .uploadsLowTwice,
        "a low-priority background post: media file 0, its upload: got started 2, finished 2, expected started 1, finished 1"
      ),
    ] as [(QueueingUploads.Behaviour, String)])
  func `a fault in a background post fails the sample`(behaviour: QueueingUploads.Behaviour, reason: String)
    throws
  {
    let hangs = behaviour == .forgetsLow || behaviour == .keepsLow
    let reply = try reply(behaviour, timeoutNanoseconds: hangs ? 2_000_000_000 : nil)
    #expect(reply.outcome == (behaviour == .forgetsLow ? .timedOut : .wrong))
    #expect(reply.reason == reason)
  }

  @Test func `background posts are left out of the counts`() throws {
    for purpose in [SamplePurpose.profile, .allocations] {
      #expect(try reply(.urgentFirst, purpose: purpose).counts == nil)
    }
    // Its own, without those of the others.
    #expect(try reply(.urgentFirst).uploads?.started == 6)
  }
}

/// Prepares post after post on its own thread, and misbehaves as `behaviour` says.
final class QueueingUploads: PartialContender {
  enum Behaviour { case inOrder, urgentFirst, onTheCaller, repeatsLow, forgetsLow, keepsLow, uploadsLowTwice }

  let name = "queueing"
  let patterns = [Pattern.presigned]
  private let behaviour: Behaviour
  private let kept = Mutex<[Completion]>([])
  private let queue = Queue()

  init(_ behaviour: Behaviour) {
    self.behaviour = behaviour
    let queue = queue
    _ = RawThread(name: "preparer") { queue.work() }
  }

  deinit { queue.end() }

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let isLow = priority == .low && post.media.count == 1
    let job = { @Sendable [behaviour] in
      if behaviour == .forgetsLow, isLow { return completion(.failure(CancellationError())) }
      do {
        let receipts = try post.media.map { media in
          let prepared = try service.prepare(media)
          let url = try Self.answer { service.issueURL(for: prepared, completion: $0) }
          if behaviour == .uploadsLowTwice, isLow {
            _ = try Self.answer { service.upload(prepared, to: url, completion: $0) }
          }
          return try Self.answer { service.upload(prepared, to: url, completion: $0) }
        }
        completion(.success(try Self.answer { service.createPost(post, receipts: receipts, completion: $0) }))
        if behaviour == .repeatsLow, isLow { completion(.failure(CancellationError())) }
      } catch { completion(.failure(error)) }
    }
    if isLow, behaviour == .keepsLow { kept.withLock { $0.append(completion) } }
    switch behaviour {
    case .onTheCaller: job()
    case .forgetsLow where isLow: kept.withLock { $0.append(completion) }
    default: queue.add(job, isUrgent: behaviour != .inOrder && priority == .high)
    }
    return FakeService.Handle()
  }

  /// The fake service answers immediately.
  private static func answer<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable
  ) throws -> Value {
    let answer = Mutex<Result<Value, any Error>>(.failure(CancellationError()))
    _ = start { result in answer.withLock { $0 = result } }
    return try answer.withLock { $0 }.get()
  }

  private final class Queue: Sendable {
    private struct State {
      var jobs: [@Sendable () -> Void] = []
      var isEnded = false
    }

    private let state = Mutex(State())
    private let parker = Parker()

    func add(_ job: @escaping @Sendable () -> Void, isUrgent: Bool) {
      state.withLock { $0.jobs.insert(job, at: isUrgent ? 0 : $0.jobs.count) }
      parker.unpark()
    }

    func end() {
      state.withLock { $0.isEnded = true }
      parker.unpark()
    }

    func work() {
      while true {
        let (job, isEnded) = state.withLock { ($0.jobs.isEmpty ? nil : $0.jobs.removeFirst(), $0.isEnded) }
        if let job { job() } else if isEnded { return } else { parker.park() }
      }
    }
  }
}
