import RawThreads
import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct UploadWorkerTests {
  private func worker(_ behaviour: FakeContender.Behaviour, _ slowDown: SlowDown? = nil) -> UploadWorker {
    UploadWorker(.faked(FakeContender(behaviour), clock: FakeClock().clock), slowDown: { _ in slowDown })
  }

  private func reply(
    _ behaviour: FakeContender.Behaviour, _ scenario: Scenario = Scenario(name: "three", photos: 3),
    times: Int = 4
  ) throws -> SampleReply { try worker(behaviour).run(SampleRequest(scenario: scenario, iterations: times)) }

  @Test func `an honest contender is measured and its work counted`() throws {
    let reply = try reply(.honest)
    #expect(reply.outcome == .measured)
    #expect(reply.reason == nil)
    #expect(reply.uploads?.started == 12)
    #expect(reply.uploads?.finished == 12)
    #expect(reply.uploads?.posts == 4 && reply.uploads?.wastedBytes == 0 && reply.stopping == nil)
    #expect(reply.wallNanoseconds > 0)
  }

  @Test func `posts before the sample are checked, not timed`() throws {
    var request = SampleRequest(scenario: Scenario(name: "three", photos: 3), iterations: 4)
    let plain = try worker(.honest).run(request)
    request.unmeasured = 3
    let warmed = try worker(.honest).run(request)
    #expect(warmed.wallNanoseconds == plain.wallNanoseconds && warmed.uploads == plain.uploads)
    let wrong = try worker(.answersTwice).run(request)
    #expect(wrong.outcome == .wrong && wrong.wallNanoseconds == 0)
  }

  @Test func `a slow-down adds time and nothing else`() throws {
    let request = SampleRequest(scenario: Scenario(name: "three", photos: 3), iterations: 4)
    let plain = try worker(.honest).run(request)
    let slow = try worker(.honest, .both(0.5)).run(request)
    #expect(slow.wallNanoseconds == plain.wallNanoseconds / 2 * 3)
    #expect(slow.uploads == plain.uploads)
    #expect(slow.idealNanoseconds == plain.idealNanoseconds)
  }

  @Test(
    arguments: [
      (.throwsError, .failed, "ended with an error: Refusal()"),
      (.hangs, .timedOut, "no completion within 10 s"),
      (.answersTwice, .wrong, "completion: called 2 times, expected once"),
      (.leaks, .wrong, "something is left: the completion closure is still retained after the job ended"),
      (.oneTooFew, .wrong, "publication: got 2 receipts, expected 3 receipts (and 2 more)"),
      (.uploadsTwice, .wrong, "publication: got 4 receipts, expected 3 receipts (and 2 more)"),
      (.twoPosts, .wrong, "post: got created 2 times, expected created once"),
      (
        .startsAfterCompletion, .wrong,
        "media file 0: got started 2, finished 2, expected started 1, finished 1 (and 1 more)"
      ),
      (
        .answersForOther, .wrong,
        "publication, receipt 0: got media file 1, 65536 bytes, checksum beeb8da1658eec67, expected media file 0, 65536 bytes, checksum 910a2dec89025cc1 (and 1 more)"
      ),
    ] as [(FakeContender.Behaviour, Outcome, String)])
  func `a contender that breaks a promise is not measured`(
    behaviour: FakeContender.Behaviour, outcome: Outcome, reason: String
  ) throws {
    let reply = try reply(behaviour)
    #expect(reply.outcome == outcome)
    #expect(reply.reason == reason)
  }

  @Test func `steal and pressure are those of the sample, where the kernel has them`() throws {
    let (reply, known) = (try reply(.honest), Disturbance.now())
    #expect((reply.disturbance.stealNanoseconds == nil) == (known.stealNanoseconds == nil))
    #expect((reply.disturbance.pressureNanoseconds == nil) == (known.pressureNanoseconds == nil))
    if let steal = known.stealNanoseconds, steal > 0 { #expect(reply.disturbance.stealNanoseconds != steal) }
    if let pressure = known.pressureNanoseconds, pressure > 0 {
      #expect(reply.disturbance.pressureNanoseconds != pressure)
    }
  }

  @Test(
    arguments: [
      (
        .ignoresLimit, Scenario(name: "limited", photos: 3, limit: 2) { $0.cancelAfter = .nanoseconds(5) },
        "uploads in flight: got 3, expected at most 2"
      ),
      (
        .postsAfterFailure, Scenario(name: "failing", photos: 3) { $0.faults.failAt = 1 },
        "post: got created 1 times, expected not created"
      ),
    ] as [(FakeContender.Behaviour, Scenario, String)])
  func `too many uploads at once, or a post after a failure, is wrong`(
    behaviour: FakeContender.Behaviour, scenario: Scenario, reason: String
  ) throws {
    let reply = try reply(behaviour, scenario, times: 1)
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == reason)
  }

  @Test func `a failing job is timed against its failure, and its stop and waste are recorded`() throws {
    let reply = try reply(.honest, Scenario(name: "failing", photos: 3) { $0.faults.failAt = 1 })
    #expect(reply.outcome == .measured)
    #expect(try (1..<reply.wallNanoseconds).contains(#require(reply.idealNanoseconds)))
    let stopping = try #require(reply.stopping)
    #expect(stopping.toCompletionNanoseconds > 0)
    #expect(stopping.toStopNanoseconds >= stopping.toCompletionNanoseconds)
    // The fake starts all three: the third after the failure; two finish, and no post uses them.
    #expect(reply.uploads?.startsAfterFailure == 4)
    #expect(reply.uploads?.wastedBytes == 4 * 2 * 65_536)
  }

  @Test func `a cancelled job is timed against its cancel, and its stop is recorded`() throws {
    let scenario = Scenario(name: "cancelled", photos: 3) { $0.cancelAfter = .nanoseconds(5_000) }
    let reply = try reply(.honest, scenario, times: 1)
    #expect(reply.outcome == .measured)
    #expect(reply.uploads?.cancelled == 3)
    #expect(try (5_000..<reply.wallNanoseconds).contains(#require(reply.idealNanoseconds)))
    #expect(try (1..<5_000).contains(#require(reply.stopping).toCompletionNanoseconds))
    #expect(reply.uploads?.startsAfterFailure == 0 && reply.uploads?.wastedBytes == 0)
  }

  /// If the job ends after the moment of its cancel, the machine is to blame.
  @Test(arguments: [(5_000, false), (1, true)])
  func `a job that ends before its cancel is not measured`(nanoseconds: Int, isStarved: Bool) throws {
    let scenario = Scenario(name: "late cancel", photos: 0) { $0.cancelAfter = .nanoseconds(nanoseconds) }
    let reply = try reply(.honest, scenario, times: 1)
    #expect(reply.outcome == .failed)
    #expect(reply.reason?.hasSuffix(WorkerFailure.starvation) == isStarved)
  }

  #if os(Linux)
    @Test func `a post's memory is what became resident`() throws {
      let request = SampleRequest(
        scenario: Scenario(name: "wide", photos: 2_000), iterations: 1, purpose: .memory)
      let reply = try worker(.honest).run(request)
      #expect(reply.outcome == .measured)
      #expect(reply.inFlightBytes != nil)
      #expect(reply.counts == nil)
    }
  #endif

  @Test(arguments: [(7_000_000_000, "7 s"), (1_500_000_000, "1500 ms")] as [(UInt64, String)])
  func `a post beyond the timeout is given up`(timeout: UInt64, text: String) throws {
    let request = SampleRequest(
      scenario: Scenario(name: "three", photos: 3), iterations: 1, timeoutNanoseconds: timeout)
    let reply = try worker(.hangs).run(request)
    #expect(reply.outcome == .timedOut)
    #expect(reply.reason == "no completion within \(text)")
  }

  @Test func `an error while making the service is thrown`() {
    struct NoDisk: Error {}
    let setup = UploadSetup(FakeContender(.honest), clock: FakeClock().clock) { _, _, _ in throw NoDisk() }
    let worker = UploadWorker(setup)
    #expect(throws: NoDisk.self) {
      try worker.run(SampleRequest(scenario: Scenario(name: "any", photos: 0), iterations: 1))
    }
  }

  /// In a process of its own, because it counts. A lower bound, because the contender allocates, too; the controls of every check prove
  /// exact counts.
  @Test(arguments: [SamplePurpose.profile, .allocations])
  func `injected work is counted for every upload, in counting passes only`(purpose: SamplePurpose) async {
    await #expect(processExitsWith: .success) { [purpose] in try UploadWorkerTests.countWhatIsPlanted(purpose)
    }
  }

  private static func countWhatIsPlanted(_ purpose: SamplePurpose) throws {
    let each = Effort.count(100_000, thorough: 1_000_000)
    let plant = PlantedWork(allocations: each, retains: each)
    let worker = UploadWorker(.faked(FakeContender(.honest), clock: FakeClock().clock), plant: plant)
    let scenario = Scenario(name: "three", photos: 3)
    let counts = try #require(
      try worker.run(SampleRequest(scenario: scenario, iterations: 2, purpose: purpose)).counts)
    if let allocations = counts.allocations { #expect(allocations >= 6 * each) }
    if let retains = counts.retains { #expect(retains >= 6 * each) }
    #expect(try worker.run(SampleRequest(scenario: scenario, iterations: 1)).counts == nil)
  }
}

@Suite(.ownThread) struct SampleReplyTests {
  private typealias Counts = LedgerRecord.Counts

  @Test(arguments: [
    // Pattern, finished by request, posts, wasted bytes; a media file has 100 bytes.
    (Pattern.publish, [1, 1], 1, 0), (.publish, [1, 0], 0, 100), (.publish, [0, 0], 0, 0),
    (.presigned, [1, 1, 1, 1], 1, 0), (.presigned, [1, 1, 1, 0], 0, 100), (.race, [1, 0, 0, 1], 1, 0),
    (.race, [1, 1, 0, 1], 1, 100), (.race, [1, 1, 1, 1], 0, 400), (.resilient, [1, 2], 1, 100),
    (.zip, [1, 1, 1], 1, 0),
  ])
  func `uploads that no post uses are wasted bytes`(
    pattern: Pattern, finished: [Int], posts: Int, wasted: Int
  ) {
    let media = pattern.looksUp ? 0 : 2
    let scenario = Scenario(name: "s", pattern: pattern, photos: media, payloadBytes: 100)
    let post = Post.synthetic(photos: media, videos: 0, payloadBytes: 100, seed: 1)
    let record = LedgerRecord(
      requests: finished.map { Counts(started: 1, finished: $0) }, peakInFlight: 1,
      posts: Array(repeating: [], count: posts))
    #expect(record.wastedBytes(of: scenario.byteCounts(for: post), scenario) == wasted)
  }

  @Test(arguments: [
    (Duration.milliseconds(5), 5_000_000 as UInt64?), (.milliseconds(-5), 0), (.seconds(9), nil),
  ])
  func `a job is expected to end at its deadline`(deadline: Duration, expected: UInt64?) throws {
    var scenario = Scenario(name: "s", pattern: .resilient, service: .latency, photos: 1)
    scenario.latency = .fixed(nanoseconds: 1_000_000_000)
    scenario.retry.deadline = deadline
    let post = Post.synthetic(photos: 1, videos: 0, payloadBytes: 1, seed: 1)
    #expect(try Expectation(scenario: scenario, post: post).deadlineNanoseconds == expected)
  }

  private func sample() -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    reply.wallNanoseconds = 10_000_000
    reply.usage.cpuUserNanoseconds = 1_500_000
    reply.usage.cpuSystemNanoseconds = 500_000
    return reply
  }

  @Test func `a CPU slow-down adds its share of CPU time`() {
    var reply = sample()
    SlowDown.cost(0.05).lengthen(&reply, added: 0, .monotonic)
    let added = reply.usage.cpuNanoseconds - 2_000_000
    // Other threads of the process may add to it.
    #expect(added >= 100_000)
    #expect(reply.wallNanoseconds > 10_000_000)
  }

  // One of 31 posts, and one of 21, is an added one: 30 posts and 5 % are 31.5 ms, and 20 and 5 % are there already.
  @Test(
    arguments: [
      (1, 10_000_000, 0, 10_500_000...10_510_000), (30, 31_000_000, 1, 31_500_000...31_510_000),
      (20, 10_000_000, 1, 10_000_000...10_000_000),
    ] as [(Int, UInt64, Int, ClosedRange<UInt64>)])
  func `a wall slow-down adds what added posts lack of its share`(
    iterations: Int, wall: UInt64, added: Int, expected: ClosedRange<UInt64>
  ) {
    var reply = sample()
    (reply.iterations, reply.wallNanoseconds) = (iterations, wall)
    #expect(SlowDown.wall(0.05).wholePosts(of: iterations) == added)
    SlowDown.wall(0.05).lengthen(&reply, added: added, FakeClock(step: 10_000).clock)
    #expect(expected.contains(reply.wallNanoseconds), "\(reply.wallNanoseconds)")
  }
}

@Suite(.ownThread) struct TraceWorkerTests {
  private func reply(
    _ behaviour: FakeContender.Behaviour, _ scenario: Scenario = Scenario(name: "three", photos: 3)
  ) throws -> TraceReply {
    let worker = TraceWorker(.faked(FakeContender(behaviour), clock: FakeClock().clock))
    return try worker.run(TraceRequest(scenario: scenario))
  }

  @Test func `every request is recorded from its call to its answer's return`() throws {
    let post = try #require(try reply(.honest).post)
    #expect(post.requests.map(\.index) == [0, 1, 2, nil])
    // This service answers before the call returns.
    for request in post.requests {
      let moments = [
        request.asked.nanoseconds, request.answered.nanoseconds, request.answerReturned, request.askReturned,
      ]
      #expect(moments == moments.sorted() && Set(moments).count == 4)
      #expect(request.asked.thread == 0 && request.answered.thread == 0)
    }
    let last = post.requests[3]
    #expect((last.answered.nanoseconds..<last.answerReturned).contains(post.completed.nanoseconds))
    #expect(post.startReturned > last.askReturned)
    #expect(post.asksAtOnce)
  }

  @Test func `every recorded post has a plain one beside it`() throws {
    let reply = try reply(.honest)
    #expect(reply.recordedNanoseconds.count == TraceRequest.pairs.upperBound)
    #expect(reply.plainNanoseconds.count == reply.recordedNanoseconds.count)
    // Every reading of this clock takes time, and only the recorder reads it between start and end.
    #expect(zip(reply.plainNanoseconds, reply.recordedNanoseconds).allSatisfy { $0 < $1 })
    // The recorder notes the completion one clock reading before the harness.
    #expect(reply.recordedNanoseconds.contains(try #require(reply.post).completed.nanoseconds + 10))
  }

  @Test(arguments: [
    (FakeContender.Behaviour.throwsError, Outcome.failed), (.hangs, .timedOut), (.answersTwice, .wrong),
    (.startsAfterCompletion, .wrong),
  ])
  func `a failed trace has a reason and no post`(_ behaviour: FakeContender.Behaviour, outcome: Outcome)
    throws
  {
    let reply = try reply(behaviour)
    #expect(reply.outcome == outcome)
    #expect(reply.reason != nil && reply.post == nil)
  }

  @Test func `with a limit, requests wait for each other`() throws {
    let limited = Scenario(name: "limited", photos: 3, limit: 1)
    #expect(try #require(try reply(.honest, limited).post).asksAtOnce == false)
  }

  /// A post of one request, up to its answer's return.
  private func record(_ recorder: PostRecorder) {
    let completion = recorder.begin { _ in }
    let number = recorder.willAsk(7)
    recorder.hasStarted(at: 0)
    RawThread(name: "service") {
      recorder.isAnswered(number)
      completion(.failure(CancellationError()))
    }.join()
    recorder.hasAsked(number)
  }

  @Test func `threads are numbered from the caller's`() throws {
    let recorder = PostRecorder(capacity: 2, clock: FakeClock().clock)
    for _ in 0..<2 {
      record(recorder)
      recorder.hasAnswered(0)
      let post = try #require(recorder.trace(asksAtOnce: true))
      #expect(post.requests.map(\.index) == [7])
      #expect(post.requests[0].asked.thread == 0 && post.requests[0].answered.thread == 1)
      #expect(post.completed.thread == 1)
    }
  }

  /// The completion is called within the answer, so the post may end before that returns.
  @Test func `an answer that has not returned is waited for`() throws {
    let time = SimulatedTime()
    let recorder = PostRecorder(capacity: 2, clock: time.clock)
    record(recorder)
    time.at(time.now + 400_000) { recorder.hasAnswered(0) }
    let post = try #require(recorder.trace(asksAtOnce: true))
    #expect(post.requests[0].answerReturned > post.requests[0].answered.nanoseconds)
    record(recorder)
    #expect(recorder.trace(asksAtOnce: true) == nil)
  }

  @Test func `a post beyond the capacity is not recorded`() {
    let recorder = PostRecorder(capacity: 1, clock: FakeClock().clock)
    _ = recorder.begin { _ in }
    for number in 0..<2 {
      #expect(recorder.willAsk(number) == number)
      recorder.hasAsked(number)
      recorder.isAnswered(number)
      recorder.hasAnswered(number)
    }
    #expect(recorder.trace(asksAtOnce: true) == nil)
  }
}

private struct Counting: Workload {
  var name = "counting"
  var answer = 7
  var fanOut: Int { 10 }
  func describe(_ sample: inout Sample) {}
  var timeoutSeconds: Int { 1 }
}

private struct Refusal: Error {}

@Suite(.ownThread) struct BenchmarkWorkerTests {
  /// The body returns the listed results, and then the expected answer.
  private func reply(_ results: Result<Int, Refusal>..., purpose: SamplePurpose = .time) throws -> (
    reply: SampleReply, calls: Int
  ) {
    let calls = Counter()
    let worker = BenchmarkWorker<Counting>(clock: FakeClock().clock) { work in
      BenchmarkBody(answer: work.answer) {
        let call = calls.add() - 1
        return call < results.count ? try results[call].get() : work.answer
      }
    }
    let request = SampleRequest(scenario: Counting(), iterations: 3, purpose: purpose)
    return (try worker.run(request), calls.current)
  }

  @Test func `the work runs once to warm up, then as often as requested`() throws {
    let (reply, calls) = try reply()
    #expect(reply.outcome == .measured)
    #expect(calls == 4)
    #expect(reply.wallNanoseconds > 0)
    #expect(reply.uploads == nil)
  }

  /// Two clock readings take some 600 ns, ten times as long as a logging call between them.
  @Test func `the time of clock readings is subtracted from short parts`() throws {
    let clock = FakeClock(step: 10).clock
    let worker = BenchmarkWorker<Counting>(clock: clock) { _ in
      BenchmarkBody { iterations, meter in
        for _ in 0..<iterations {
          meter.start()
          _ = clock.nanoseconds()
          meter.stop()
        }
        return nil
      }
    }
    let reply = try worker.run(SampleRequest(scenario: Counting(), iterations: 2_000))
    #expect(reply.wallNanoseconds == 20_000)
  }

  @Test func `a wrong answer or an error ends the sample`() throws {
    let (wrong, calls) = try reply(.success(7), .success(8))
    #expect(wrong.outcome == .wrong && wrong.reason == "answered 8, expected 7")
    #expect(calls == 2)
    let failed = try reply(.failure(Refusal())).reply
    #expect(failed.outcome == .failed && failed.reason == "ended with an error: Refusal()")
  }

  @Test func `a wrong answer in a counting pass is wrong, too`() async {
    // In a process of its own, because it counts.
    await #expect(processExitsWith: .success) {
      let (reply, _) = try BenchmarkWorkerTests().reply(
        .success(7), .success(7), .success(7), .success(7), .success(1), purpose: .profile)
      #expect(reply.outcome == .wrong)
    }
  }
}
