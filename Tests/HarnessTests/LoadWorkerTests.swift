import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct LoadWorkerTests {
  private static let second: UInt64 = 1_000_000_000

  private func worker(_ contender: any Contender, _ time: SimulatedTime) -> LoadWorker {
    LoadWorker(.faked(contender, clock: time.clock))
  }

  private func reply(
    _ manner: QueueContender.Manner, perSecond: Double = 1_000, seconds: Double = 4, mostPosts: Int = 10_000
  ) throws -> LoadReading {
    let time = SimulatedTime()
    return try worker(QueueContender(time, manner), time).run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: .fixed, postsPerSecond: perSecond,
        windowNanoseconds: UInt64(seconds * 1e9), mostPosts: mostPosts))
  }

  @Test func `posts that end in time are all measured`() throws {
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 250_000))
    #expect(reply.outcome == .measured)
    #expect(reply.posts.due == 4_000)
    #expect(reply.posts.completed == 4_000)
    #expect(reply.posts.peakInFlight == 1)
    #expect(reply.latencies.count == 4_000)
    #expect(reply.latencies.max == 250_000)
    #expect(reply.lateness.max == 0)
    #expect(!reply.isFull)
  }

  /// The error called coordinated omission: a client that waits for each answer records one stall as one long answer, although every
  /// post that was due during it waited.
  @Test func `a stall delays every post that was due during it`() throws {
    let reply = try reply(QueueContender.Manner(stall: Self.second..<2 * Self.second))
    #expect(reply.posts.completed == 4_000)
    // A quarter of the posts was due in that second, and waited for its rest.
    let waited = reply.latencies.buckets.filter { $0.low > 1_000_000 }.reduce(0) { $0 + $1.count }
    #expect((1_000...1_120).contains(waited))
    #expect(try #require(reply.latencies.percentile(0.5)) < 110_000)
    #expect((550_000_000...650_000_000).contains(try #require(reply.latencies.percentile(0.9))))
    #expect((950_000_000...1_010_000_000).contains(try #require(reply.latencies.percentile(0.99))))
    #expect(reply.lateness.max == 0)
    #expect(reply.posts.peakInFlight >= 999)
  }

  @Test func `a start that blocks is latency, not lateness of the generator`() throws {
    let reply = try reply(QueueContender.Manner(blockedStart: (post: 1_000, nanoseconds: Self.second)))
    #expect(reply.posts.completed == 4_000)
    #expect((550_000_000...700_000_000).contains(try #require(reply.latencies.percentile(0.9))))
    #expect(try #require(reply.holdUps.max) >= 998_000_000)
    #expect(reply.lateness.max == 0)
  }

  @Test func `late wake-ups are recorded as lateness`() throws {
    let time = SimulatedTime()
    var clock = time.clock
    clock.sleep = { moment, _ in time.pass(until: moment + 300_000) }
    let worker = LoadWorker(.faked(QueueContender(time), clock: clock))
    let reply = try worker.run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: .fixed, postsPerSecond: 1_000,
        windowNanoseconds: Self.second))
    #expect(reply.lateness.count == 1_000)
    #expect(reply.lateness.percentile(0.01).map { $0 >= 300_000 } ?? false)
    #expect(reply.lateness.max == 300_000)
    // Latency counts from when the post was due.
    #expect(reply.latencies.max == 400_000)
  }

  @Test func `a window ends when the most posts are in flight`() throws {
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 2_000_000), mostPosts: 100)
    #expect(reply.outcome == .measured)
    #expect(reply.isFull)
    #expect((190_000_000...210_000_000).contains(reply.windowNanoseconds))
    #expect(reply.posts.peakInFlight == 100)
    #expect(reply.posts.completed + reply.posts.givenUp == reply.posts.due)
    #expect(reply.posts.givenUp == 101)
    #expect(reply.latencies.count == reply.posts.due - 1)
  }

  @Test func `a slow backlog shows in the drain time`() throws {
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 2_000_000), perSecond: 600, seconds: 2)
    #expect(!reply.isFull)
    #expect(reply.posts.completed == 1_200)
    #expect((395_000_000...405_000_000).contains(reply.drainNanoseconds))
    #expect(try #require(reply.earlyLatencyNanoseconds) < 60_000_000)
  }

  @Test func `posts that would take too long are given up`() throws {
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 500_000_000), perSecond: 100, seconds: 1)
    #expect(reply.outcome == .measured)
    #expect(reply.posts.givenUp > 80)
    #expect(reply.posts.completed + reply.posts.givenUp == 100)
    #expect(try #require(reply.latencies.percentile(0.5)) > 2 * Self.second)
  }

  /// No post has ended for four seconds, but uploads still end.
  @Test func `posts that share a slow service do not count as hung`() throws {
    let reply = try reply(
      QueueContender.Manner(uploadNanoseconds: 3 * Self.second / 2), perSecond: 100, seconds: 1)
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(reply.posts.givenUp > 0)
    #expect(reply.posts.completed + reply.posts.givenUp == 100)
  }

  @Test(arguments: [false, true])
  func `a post that hangs is reported`(evenIfCancelled: Bool) throws {
    let reply = try reply(
      QueueContender.Manner(hangs: 17, hangsEvenIfCancelled: evenIfCancelled), seconds: 1)
    #expect(reply.outcome == .timedOut)
    #expect(reply.reason == "1 post did not complete, and no other ended for 1000 ms")
  }

  @Test func `a completion released without a call is a lost post`() throws {
    let reply = try reply(QueueContender.Manner(loses: 17), seconds: 1)
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == "a post is lost: its completion was released and never called")
    #expect(reply.posts.wrong == 1)
    #expect(reply.posts.due < 30)
  }

  @Test(
    arguments: [
      (.throwsError, .failed, "ended with an error: Refusal()"),
      (.answersTwice, .wrong, "completion: called 2 times, expected once"),
      (
        .startsAfterCompletion, .wrong,
        "media file 0: got started 2, finished 2, expected started 1, finished 1 (and 1 more)"
      ),
    ] as [(FakeContender.Behaviour, Outcome, String)])
  func `each post is checked against its own ledger`(
    behaviour: FakeContender.Behaviour, outcome: Outcome, reason: String
  )
    throws
  {
    let time = SimulatedTime()
    let reply = try worker(FakeContender(behaviour), time).run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: .fixed, postsPerSecond: 100,
        windowNanoseconds: Self.second))
    #expect(reply.outcome == outcome)
    #expect(reply.reason == reason)
  }
}

@Suite(.ownThread) struct LoadRunnerTests {
  private final class Desk {
    var requested: [(contender: String, request: LoadRequest)] = []
    var launched: [String] = []
    var taken: [TakenWindow] = []
  }

  private static let second: UInt64 = 1_000_000_000

  /// Two windows for each contender, one of which misbehaves.
  private func run(
    _ contenders: [String] = ["a", "b", "c", "d"], rounds: Int = 2,
    isInterrupted: @escaping () -> Bool = { false },
    answer: @escaping (String, LoadRequest) throws(WorkerFailure) -> LoadReading = { _, _ in LoadReading() }
  ) throws -> (desk: Desk, ended: Bool) {
    let desk = Desk()
    let plan = LoadPlan(contenders: contenders, scenarios: [Scenario(name: "three", photos: 3)]) { plan in
      plan.seed = 5
      plan.warmUpNanoseconds = Self.second
    }
    let launcher = FakeLauncher<LoadRequest> { name, request throws(WorkerFailure) in
      desk.requested.append((name, request))
      return try answer(name, request)
    }
    let runner = LoadRunner(plan, launcher: launcher.launch, isInterrupted: isInterrupted)
    let ended = try runner.run(
      offer: { _, round in
        round < rounds ? LoadOffer(postsPerSecond: 100, windowNanoseconds: 3 * Self.second) : nil
      }, record: { desk.taken.append($0) })
    desk.launched = launcher.workers.map(\.contender)
    return (desk, ended)
  }

  @Test func `every round has each contender once, with the same arrivals`() throws {
    let (desk, ended) = try run(rounds: 4)
    #expect(ended)
    for round in 0..<4 {
      let windows = desk.taken.filter { $0.round == round }
      #expect(windows.map(\.cell.contender).sorted() == ["a", "b", "c", "d"])
      #expect(windows.map(\.position) == [0, 1, 2, 3])
    }
    let measured = desk.requested.filter { $0.request.windowNanoseconds == 3 * Self.second }
    for round in 0..<4 { #expect(Set(measured[4 * round..<4 * round + 4].map(\.request.seed)).count == 1) }
    #expect(Set(measured.map(\.request.seed)).count == 4)
    // Over a whole design each has every position once.
    for name in ["a", "b", "c", "d"] {
      #expect(desk.taken.filter { $0.cell.contender == name }.map(\.position).sorted() == [0, 1, 2, 3])
    }
  }

  @Test func `a flooded contender has a fresh process for its next window`() throws {
    let (desk, _) = try run(
      ["a"],
      answer: { _, request in
        var reply = LoadReading()
        reply.isFull = request.windowNanoseconds > Self.second
        return reply
      })
    #expect(desk.launched == ["a", "a"])
    #expect(desk.requested.map(\.request.windowNanoseconds) == [1, 3, 1, 3].map { $0 * Self.second })
  }

  @Test(arguments: [true, false])
  func `a failed contender has no further window, and the others go on`(dies: Bool) throws {
    let (desk, ended) = try run(answer: { (name, _) throws(WorkerFailure) in
      guard name == "b" else { return LoadReading() }
      if dies { throw .died(how: "signal 11") }
      return LoadReading(outcome: .wrong, reason: "too many posts")
    })
    #expect(ended)
    let failures = desk.taken.filter { $0.reply.outcome != .measured }
    #expect(failures.map(\.cell.contender) == ["b"])
    #expect(failures[0].reply.outcome == (dies ? .failed : .wrong))
    #expect(desk.taken.count == 7)
  }

  @Test func `an interrupted run keeps its windows`() throws {
    var count = 0
    let (desk, ended) = try run(
      ["a", "b"], isInterrupted: { count >= 5 },
      answer: { _, _ in
        count += 1
        return LoadReading()
      })
    #expect(!ended)
    #expect(desk.taken.count == 3)
  }
}

@Suite(.ownThread) struct ArrivalScheduleTests {
  @Test func `a fixed schedule is even and does not drift`() {
    let offsets = ArrivalSchedule.fixed.offsets(perSecond: 300, withinNanoseconds: 10_000_000_000, seed: 1)
    #expect(offsets.count == 3_000)
    #expect(offsets[0] == 0)
    #expect(offsets[1] == 3_333_333)
    #expect(offsets[2_999] == 9_996_666_666)
  }

  /// The gaps of a Poisson process are exponential: their standard deviation is their mean.
  @Test(arguments: [1, 7, 12_345] as [UInt64])
  func `a Poisson schedule has a Poisson process's mean and variance`(seed: UInt64) {
    let offsets = ArrivalSchedule.poisson.offsets(
      perSecond: 2_000, withinNanoseconds: 20_000_000_000, seed: seed)
    // 40 000 expected; the standard deviation of a count is its root, 200.
    #expect(abs(offsets.count - 40_000) < 800)
    let gaps = zip(offsets.dropFirst(), offsets).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(mean / 500_000 - 1) < 0.02)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.03)
    // Counts in equal intervals vary by their own mean, too: arrivals are independent.
    var counts = Array(repeating: 0.0, count: 1_000)
    for offset in offsets { counts[Int(offset / 20_000_000)] += 1 }
    let scatter = counts.reduce(0) { $0 + ($1 - 40) * ($1 - 40) } / 1_000 / 40
    #expect(abs(scatter - 1) < 0.2)
  }

  @Test(arguments: ArrivalSchedule.allCases)
  func `arrivals are ordered, within the window, and repeat with the seed`(schedule: ArrivalSchedule) {
    let offsets = schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 3)
    #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(offsets.allSatisfy { $0 < 1_000_000_000 })
    #expect(offsets == schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 3))
    let other = schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 4)
    #expect((offsets == other) == (schedule == .fixed))
  }
}

/// Completes one post after another in simulated time, and misbehaves as its manner says.
final class QueueContender: PartialContender {
  struct Manner: Sendable {
    var serviceNanoseconds: UInt64 = 100_000
    /// Posts run at once instead, with this time between their uploads.
    var uploadNanoseconds: UInt64?
    /// Nothing happens in this interval since the first post.
    var stall: Range<UInt64> = 0..<0
    /// The start of this post returns only after this time.
    var blockedStart: (post: Int, nanoseconds: UInt64)?
    var hangs: Int?
    var hangsEvenIfCancelled = false
    /// The completion of this post is released without a call.
    var loses: Int?
  }

  let name = "queue"
  private let time: SimulatedTime
  private let manner: Manner
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var begin: UInt64 = 0
    var freeAt: UInt64 = 0
  }

  init(_ time: SimulatedTime, _ manner: Manner = Manner()) {
    self.time = time
    self.manner = manner
  }

  private final class Job: Cancellable {
    let completion: Mutex<Completion?>
    let endsIfCancelled: Bool
    init(_ completion: @escaping Completion, endsIfCancelled: Bool) {
      self.completion = Mutex(completion)
      self.endsIfCancelled = endsIfCancelled
    }
    func cancel() { if endsIfCancelled { end(.failure(CancellationError())) } }
    func end(_ result: Result<Publication, any Error>) {
      let completion = completion.withLock { $0.take() }
      completion?(result)
    }
  }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let (number, end) = state.withLock { state in
      defer { state.count += 1 }
      if state.count == 0 { state.begin = time.now }
      let begin = max(time.now, state.freeAt)
      let since = begin - state.begin
      let stalled = manner.stall.contains(since) ? manner.stall.upperBound - since : 0
      state.freeAt = begin + stalled + manner.serviceNanoseconds
      return (state.count, state.freeAt)
    }
    let job = Job(completion, endsIfCancelled: !manner.hangsEvenIfCancelled)
    if number == manner.loses { job.completion.withLock { $0 = nil } }
    if let interval = manner.uploadNanoseconds {
      upload(post, to: service, for: job) { time.now + UInt64($0 + 1) * interval }
    } else if number != manner.hangs {
      upload(post, to: service, for: job) { _ in end }
    }
    if let blocked = manner.blockedStart, blocked.post == number {
      time.pass(until: time.now + blocked.nanoseconds)
    }
    return job
  }

  private func upload(_ post: Post, to service: some UploadService, for job: Job, at moment: (Int) -> UInt64)
  {
    let receipts = Mutex<[Receipt]>([])
    for (index, media) in post.media.enumerated() {
      time.at(moment(index)) {
        guard job.completion.withLock({ $0 != nil }) else { return }
        _ = service.upload(media) { result in
          if case .success(let receipt) = result { receipts.withLock { $0.append(receipt) } }
        }
        guard media.index == post.media.count - 1 else { return }
        _ = service.createPost(post, receipts: receipts.withLock { $0 }) { job.end($0) }
      }
    }
  }
}

/// Time that passes only during a sleep, on whose thread events happen in order.
final class SimulatedTime: Sendable {
  private struct State {
    var now: UInt64 = 1_000_000
    var events: [(moment: UInt64, action: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  var now: UInt64 { state.withLock { $0.now } }

  var clock: HarnessClock {
    var clock = HarnessClock { self.now }
    clock.sleep = { moment, _ in self.pass(until: moment) }
    return clock
  }

  func at(_ moment: UInt64, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      let place = state.events.firstIndex { $0.moment > moment } ?? state.events.count
      state.events.insert((moment, action), at: place)
    }
  }

  func pass(until moment: UInt64) {
    while let action = state.withLock({ state -> (@Sendable () -> Void)? in
      guard let first = state.events.first, first.moment <= moment else {
        state.now = max(state.now, moment)
        return nil
      }
      state.now = max(state.now, first.moment)
      state.events.removeFirst()
      return first.action
    }) { action() }
  }
}
