import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct RunnerTests {
  private let scenarios = [Scenario(name: "one", photos: 1), Scenario(name: "two", photos: 2)]

  private func plan(contenders: [String] = ["a", "b", "c"], generations: Int = 2, rounds: Int? = 4)
    -> RunPlan<Scenario>
  {
    RunPlan(run: "test", contenders: contenders, scenarios: scenarios) { plan in
      plan.generations = generations
      plan.budgetNanoseconds = 100_000
      plan.rounds = rounds
      plan.warmUpSamples = 2
      plan.sampleNanoseconds = 1_000
    }
  }

  private func samples(
    _ plan: RunPlan<Scenario>, clock: HarnessClock = FakeClock().clock,
    isInterrupted: @escaping () -> Bool = { false },
    settled: @escaping () -> Set<CellKey> = { [] }, progress: @escaping (RunProgress) -> Void = { _ in },
    answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  ) throws -> (samples: [Sample], launcher: FakeSamplers, finished: Bool) {
    let launcher = FakeLauncher(answer: answer)
    var samples: [Sample] = []
    let runner = Runner(
      plan: plan, launcher: launcher.launch, clock: clock, isInterrupted: isInterrupted, settled: settled,
      progress: progress, record: { samples.append($0) })
    let finished = try runner.run()
    return (samples, launcher, finished)
  }

  private static func measured(_ request: SampleRequest<Scenario>, nanoseconds: UInt64 = 100) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.wallNanoseconds = nanoseconds * UInt64(request.iterations)
    return reply
  }

  @Test func `every round has each cell once, in every position, after a warm-up`() throws {
    let run = try samples(plan()) { _, request in Self.measured(request) }
    #expect(run.finished)
    let counted = run.samples.filter { $0.dropped == nil }
    #expect(counted.count == 2 * 4 * 2 * 3)
    #expect(Set(run.samples.filter { $0.dropped == .warmUp }.map(\.round)) == [0, 1])
    #expect(counted.allSatisfy { $0.round >= 2 })
    #expect(run.launcher.workers.count == 6 && run.launcher.workers.allSatisfy { $0.worker.isStopped })
    let cells = Dictionary(grouping: counted) { "\($0.generation) \($0.round) \($0.scenario)" }
    #expect(cells.values.allSatisfy { Set($0.map(\.contender)) == ["a", "b", "c"] })
    #expect(cells.values.allSatisfy { Set($0.map(\.position)) == [0, 1, 2] })
  }

  @Test(arguments: [0, 1, 2])
  func `counting passes are taken once per cell in the first generations`(counted: Int) throws {
    var plan = plan(generations: 3)
    plan.countedGenerations = counted
    var (counting, profiles) = (0, 0)
    let run = try samples(plan) { _, request in
      var reply = Self.measured(request)
      if request.purpose == .profile || request.purpose == .allocations {
        counting += 1
        profiles += request.purpose == .profile ? 1 : 0
        reply.counts = Counts(allocations: 7, allocatedBytes: 8, objects: 9, retains: 10, releases: 11)
      }
      return reply
    }
    #expect(counting == counted * 2 * 3)
    #expect(profiles == min(counted, 1) * 2 * 3)
    for sample in run.samples where sample.dropped == nil {
      let counts = [
        sample.allocations, sample.allocatedBytes, sample.objects, sample.retains, sample.releases,
      ]
      // A pass has one post, a column has the whole sample.
      let whole = [7, 8, 9, 10, 11].map { $0 * sample.iterations }
      #expect(sample.iterations > 1)
      #expect(counts == (sample.generation < counted ? whole : [nil, nil, nil, nil, nil]))
    }
  }

  @Test func `only the cold sample of overlapping posts is a single post`() throws {
    var plan = plan(contenders: ["a"])
    plan.scenarios = [Scenario(name: "steady", photos: 1) { $0.overlap = 16 }]
    let run = try samples(plan) { _, request in Self.measured(request) }
    #expect(run.samples.filter { $0.round == 0 }.allSatisfy { $0.iterations == 1 })
    #expect(run.samples.filter { $0.round > 0 }.allSatisfy { $0.iterations == 128 })
  }

  /// An old worker keeps stacks and other memory, which would seem free.
  @Test func `memory is measured by a fresh worker, for wide posts only`() throws {
    let scenarios = [Scenario(name: "narrow", photos: 999), Scenario(name: "wide", photos: 1_000)]
    var plan = plan(contenders: ["a"])
    plan.scenarios = scenarios
    var requested: [String] = []
    let run = try samples(plan) { _, request in
      requested.append("\(request.scenario.name) \(request.purpose)")
      var reply = Self.measured(request)
      if request.purpose == .memory {
        #expect(request.scenario.holdsAnswers, "answers that come early hide what waiting takes")
        reply.inFlightBytes = 5_000
      }
      return reply
    }
    #expect(requested.count { $0 == "wide memory" } == 1)
    #expect(!requested.contains("narrow memory"))
    // One for each generation, and one for the memory pass.
    #expect(run.launcher.workers.count == 3)
    #expect(run.launcher.workers.allSatisfy { $0.worker.isStopped })
    #expect(run.launcher.workers.count { $0.worker.answered == 1 } == 1)
    for sample in run.samples where sample.dropped == nil {
      #expect(sample.inFlightBytes == (sample.scenario == "wide" && sample.generation == 0 ? 5_000 : nil))
    }
  }

  @Test func `memory stays unknown if its worker dies`() throws {
    var plan = plan(contenders: ["a"], generations: 1)
    plan.scenarios = [Scenario(name: "wide", photos: 1_000)]
    let run = try samples(plan) { _, request throws(WorkerFailure) in
      if request.purpose == .memory { throw .died(how: "signal 9") }
      return Self.measured(request)
    }
    #expect(run.samples.allSatisfy { $0.outcome == .measured && $0.inFlightBytes == nil })
  }

  @Test(arguments: [nil, 60_000_000_000] as [UInt64?])
  func `every request carries the timeout`(timeout: UInt64?) throws {
    var plan = plan(contenders: ["a"], generations: 1)
    plan.scenarios = [Scenario(name: "wide", photos: 1_000)]
    plan.timeoutNanoseconds = timeout
    var seen: Set<UInt64?> = []
    _ = try samples(plan) { _, request in
      seen.insert(request.timeoutNanoseconds)
      return Self.measured(request)
    }
    #expect(seen == [timeout])
  }

  private static func rounds(_ samples: [Sample], _ scenario: String) -> (undisturbed: Int, disturbed: Int) {
    let taken = samples.filter { $0.scenario == scenario && $0.contender == "a" && $0.dropped != .warmUp }
    let disturbed = taken.count { $0.dropped == .disturbed }
    return (taken.count - disturbed, disturbed)
  }

  @Test func `the fewest rounds are taken even after the budget`() throws {
    var plan = plan(rounds: nil)
    plan.budgetNanoseconds = 0
    plan.leastRounds = 5
    var timed = 0
    let run = try samples(plan) { contender, request in
      var reply = Self.measured(request)
      if request.scenario.name == "two", request.purpose == .time {
        timed += 1
        // Three contenders warm up twice; this is the first measured round.
        if (7...9).contains(timed) { reply.disturbance.stealNanoseconds = 10_000_000 }
      }
      return reply
    }
    #expect(Self.rounds(run.samples, "one") == (5, 0))
    #expect(Self.rounds(run.samples, "two") == (5, 1))
  }

  @Test func `a post longer than the budget is measured twice`() throws {
    var plan = plan(rounds: nil)
    plan.leastRounds = 5
    plan.contenders = ["a"]
    let run = try samples(plan) { _, request in
      Self.measured(request, nanoseconds: request.scenario.name == "two" ? 1_000_000_001 : 100)
    }
    #expect(run.finished)
    #expect(run.samples.filter { $0.scenario == "two" }.map(\.dropped) == [.warmUp, nil])
    #expect(Self.rounds(run.samples, "one").undisturbed >= 5)
  }

  @Test func `constant disturbance does not keep a run from ending`() throws {
    var plan = plan(rounds: nil)
    plan.budgetNanoseconds = 0
    plan.leastRounds = 5
    let run = try samples(plan) { _, request in
      var reply = Self.measured(request)
      reply.disturbance.stealNanoseconds = 10_000_000
      return reply
    }
    #expect(run.finished)
    #expect(Self.rounds(run.samples, "one") == (0, 18))
  }

  @Test func `each contender repeats the post as often as its sample needs`() throws {
    // A cold post takes ten times as long; warm ones decide the number of iterations.
    var cold: Set<String> = ["a", "b", "c"]
    let times: [String: UInt64] = ["a": 100, "b": 900, "c": 5_000]
    let run = try samples(plan()) { contender, request in
      Self.measured(request, nanoseconds: times[contender]! * (cold.remove(contender) == nil ? 1 : 10))
    }
    let counted = Dictionary(grouping: run.samples.filter { $0.dropped == nil }, by: \.contender)
    #expect(counted.mapValues { Set($0.map(\.iterations)) } == ["a": [10], "b": [2], "c": [1]])
    #expect(counted.values.joined().allSatisfy { $0.wallNanoseconds! * $0.iterations >= 1_000 })
  }

  /// The scenario decides, so that a slow contender is as warm as a fast one; of unknown services, posts longer than four samples need
  /// no warm-up.
  @Test(arguments: [(true, ServiceKind.instant), (false, .instant), (true, .file), (true, .blocking)])
  func `a sample begins with as many untimed posts`(warms: Bool, service: ServiceKind) throws {
    var plan = plan()
    plan.warmsSamples = warms
    for index in plan.scenarios.indices { plan.scenarios[index].service = service }
    let times: [String: UInt64] = ["a": 100, "b": 3_000, "c": 5_000]
    var requested: [String: [Int?]] = [:]
    _ = try samples(plan) { contender, request in
      if request.purpose == .time { requested[contender] = [request.iterations, request.unmeasured] }
      return Self.measured(request, nanoseconds: times[contender]!)
    }
    #expect(
      requested == [
        "a": [10, warms ? 10 : nil], "b": [1, warms ? 1 : nil],
        "c": [1, warms && service != .file ? 1 : nil],
      ])
  }

  @Test func `no sample is longer than allowed`() throws {
    var plan = plan()
    plan.longestSampleNanoseconds = 700
    let run = try samples(plan) { contender, request in
      Self.measured(request, nanoseconds: contender == "a" ? 100 : 500)
    }
    let counted = Dictionary(grouping: run.samples.filter { $0.dropped == nil }, by: \.contender)
    #expect(counted.mapValues { Set($0.map(\.iterations)) } == ["a": [7], "b": [1], "c": [1]])
  }

  @Test func `a post behind others is not repeated within a sample`() throws {
    var plan = plan()
    for index in plan.scenarios.indices {
      plan.scenarios[index].pattern = .presigned
      plan.scenarios[index].behind = 100
    }
    let run = try samples(plan) { _, request in
      var reply = Self.measured(request, nanoseconds: 100)
      reply.postsBefore = 7
      return reply
    }
    #expect(Set(run.samples.map(\.iterations)) == [1])
    #expect(Set(run.samples.map(\.postsBefore)) == [7])
  }

  @Test func `the reference has two samples in a round`() throws {
    var plan = plan(rounds: 4)
    plan.twice = plan.scenarios.keyed { ($0.name, "b") }
    let run = try samples(plan) { _, request in Self.measured(request) }
    let rounds = Dictionary(grouping: run.samples) { "\($0.generation) \($0.round) \($0.scenario)" }
    for samples in rounds.values {
      let isWarmUp = samples[0].dropped == .warmUp
      #expect(samples.map(\.contender).sorted() == (isWarmUp ? ["a", "b", "c"] : ["a", "b", "b", "c"]))
      #expect(isWarmUp || Set(samples.map(\.position)) == [0, 1, 2, 3])
    }
  }

  @Test func `settled cells leave, and the others use the time`() throws {
    var requested = 0
    let run = try samples(
      plan(rounds: nil),
      settled: {
        requested += 1
        let one = ["a", "b", "c"].map { CellKey(contender: $0, scenario: "one") }
        return requested < 3 ? [] : Set(one + [CellKey(contender: "a", scenario: "two")])
      }
    ) { _, request in Self.measured(request) }
    let counted = Dictionary(grouping: run.samples.filter { $0.dropped == nil }) {
      "\($0.contender) \($0.scenario)"
    }.mapValues(\.count)
    for cell in ["a one", "b one", "c one", "a two"] { #expect(counted[cell] == 5) }
    #expect(counted["b two", default: 0] > 10 && counted["b two"] == counted["c two"])
  }

  @Test func `a settled run ends before its budget`() throws {
    var plan = plan(generations: 6, rounds: nil)
    plan.budgetNanoseconds = .max / 2
    let all = scenarios.flatMap { scenario in
      ["a", "b", "c"].map { CellKey(contender: $0, scenario: scenario.name) }
    }
    var requested = 0
    let run = try samples(
      plan,
      settled: {
        requested += 1
        return requested < 5 ? [] : Set(all)
      }
    ) { _, request in Self.measured(request) }
    // Two rounds of each generation until differences between processes are known, and then none.
    #expect(run.finished && requested == 5 + 3 * 2 + 2)
    #expect(Set(run.samples.map(\.generation)) == [0, 1, 2, 3])
  }

  @Test func `a fixed number of rounds ignores which cells are settled`() throws {
    let all = Set(["a", "b", "c"].map { CellKey(contender: $0, scenario: "one") })
    let run = try samples(plan(rounds: 4), settled: { all }) { _, request in Self.measured(request) }
    #expect(run.samples.count { $0.dropped == nil } == 2 * 4 * 2 * 3)
  }

  /// Once other processes use more of the machine than ever before.
  @Test(arguments: [(0 as UInt64?, 1), (nil, 0)])
  func `a round with busy other processes is dropped for all contenders`(used: UInt64?, rounds: Int) throws {
    var plan = plan(generations: 1, rounds: 4)
    plan.scenarios = [Scenario(name: "one", photos: 1)]
    let ticks = Mutex(0)
    var requested = 0
    let launcher = FakeSamplers { _, request in
      requested += 1
      if requested == 16 { ticks.withLock { $0 += 100 } }
      return Self.measured(request)
    }
    launcher.processorNanoseconds = used
    let files = MachineFiles { path in
      path == "/proc/stat"
        ? "cpu  \(ticks.withLock(\.self)) 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n" : nil
    }
    var samples: [Sample] = []
    let runner = Runner(
      plan: plan, launcher: launcher.launch, clock: FakeClock(step: 10_000_000).clock, files: files,
      record: { samples.append($0) })
    #expect(try runner.run())
    let disturbed = samples.filter { $0.dropped == .disturbed }
    #expect(Set(disturbed.map(\.round)).count == rounds)
    #expect(disturbed.count == 3 * rounds)
  }

  @Test func `a sample that was not measured disturbs no round`() throws {
    var timed = 0
    let run = try samples(plan(generations: 1, rounds: 2)) { contender, request in
      var reply = Self.measured(request)
      guard contender == "b", request.scenario.name == "one", request.purpose == .time else { return reply }
      timed += 1
      if timed == 3 {
        reply = SampleReply(outcome: .wrong, reason: "two posts", iterations: 1)
        reply.disturbance.stealNanoseconds = 10_000_000
      }
      return reply
    }
    #expect(run.samples.contains { $0.outcome == .wrong })
    #expect(run.samples.allSatisfy { $0.dropped != .disturbed })
  }

  @Test func `a failed worker is reported and replaced, and its cell ends`() throws {
    let run = try samples(plan(generations: 1)) { contender, request throws(WorkerFailure) in
      if contender == "b", request.scenario.name == "two" { throw .silent(seconds: 40) }
      return Self.measured(request)
    }
    #expect(run.finished)
    let failed = run.samples.filter { $0.outcome != .measured }
    #expect(failed.count == 1)
    #expect(failed.first?.contender == "b")
    #expect(failed.first?.outcome == .timedOut)
    #expect(failed.first?.reason == "the worker process gave no answer within 40 s and was killed")
    #expect(failed.first?.wallNanoseconds == nil)
    // Its other cells go on, with a new worker, and have as many samples as the others.
    let others = run.samples.filter { $0.dropped == nil && $0.scenario == "one" }
    #expect(Dictionary(grouping: others, by: \.contender).mapValues(\.count) == ["a": 4, "b": 4, "c": 4])
  }

  /// Posts take the same time each, so one tells the time of all.
  @Test(arguments: (0..<Effort.count(30, thorough: 500)).map { UInt64($0) })
  func `a run ends within a post of what it says once posts are known`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let clock = FakeClock(step: 1)
    let contenders = Array(["a", "b", "c", "d"].prefix(.random(in: 1...4, using: &generator)))
    var plan = plan(contenders: contenders, generations: .random(in: 1...6, using: &generator), rounds: nil)
    plan.scenarios = Array(scenarios.prefix(1))
    // No, narrow and wide posts; of wide ones the memory is measured, too.
    plan.scenarios[0].photos = [0, 1, 2_000].randomElement(using: &generator) ?? 0
    plan.warmUpSamples = 3
    plan.twice = Bool.random(using: &generator) ? [plan.scenarios[0].name: "a"] : [:]
    plan.sampleNanoseconds = 1_000_000
    plan.budgetNanoseconds = .random(in: 5_000_000_000...100_000_000_000, using: &generator)
    plan.leastRounds = Bool.random(using: &generator) ? 12 : 0
    let posts = contenders.keyed { ($0, UInt64.random(in: 10_000_000...4_000_000_000, using: &generator)) }
    var forecasts: [Double] = []
    let start = clock.clock.nanoseconds()
    _ = try samples(
      plan, clock: clock.clock,
      progress: { if let whole = $0.forecast?.nanoseconds { forecasts.append(whole) } }
    ) { contender, request in
      clock.pass(posts[contender]! * UInt64(request.iterations + (request.unmeasured ?? 0)))
      return Self.measured(request, nanoseconds: posts[contender]!)
    }
    let whole = Double(clock.clock.nanoseconds() - start)
    // A sample has an untimed post and a timed one.
    let samples = posts.mapValues { 2 * Double($0) }
    let longest = try #require(samples.values.max())
    let round = samples.values.reduce(0, +) + (plan.twice.values.first.flatMap { samples[$0] } ?? 0)
    try #require(!forecasts.isEmpty)
    for forecast in forecasts { #expect(abs(forecast - whole) <= longest + 0.001 * whole) }
    // Unless its minimum is longer, a run keeps its budget within half a round.
    let least = Double(plan.generations) * 4 * round + 4 * round
    if plan.leastRounds == 0, least < Double(plan.budgetNanoseconds) {
      #expect(abs(whole - Double(plan.budgetNanoseconds)) <= round / 2 + longest)
    }
  }

  @Test func `a hang takes no time from the others`() throws {
    let clock = FakeClock().clock
    var plan = plan(contenders: ["a", "b"], generations: 1, rounds: nil)
    plan.countedGenerations = 0
    let run = try samples(plan, clock: clock) { contender, request throws(WorkerFailure) in
      guard contender == "b", request.scenario.name == "one" else { return Self.measured(request) }
      while clock.nanoseconds() < 1_000_000 {}
      throw .silent(seconds: 40)
    }
    #expect(run.finished)
    #expect(Self.rounds(run.samples, "two").undisturbed > 10)
  }

  @Test func `a wrong counting pass is recorded`() throws {
    let run = try samples(plan(contenders: ["a"], generations: 1)) { _, request in
      request.purpose == .profile
        ? SampleReply(outcome: .wrong, reason: "two posts", iterations: 1) : Self.measured(request)
    }
    #expect(
      run.samples.filter { $0.outcome == .wrong && $0.dropped == nil }.map(\.scenario) == ["one", "two"])
    #expect(run.samples.allSatisfy { $0.dropped == .warmUp || $0.outcome == .wrong })
  }

  @Test func `an interrupted run keeps its samples`() throws {
    var taken = 0
    let run = try samples(plan(), isInterrupted: { taken > 20 }) { _, request in
      taken += 1
      return Self.measured(request)
    }
    #expect(!run.finished)
    #expect(!run.samples.isEmpty)
    #expect(run.launcher.workers.allSatisfy { $0.worker.isStopped })
  }

  @Test func `the same seed gives the same order of requests`() throws {
    func order() throws -> [String] {
      try samples(plan()) { _, request in Self.measured(request) }.samples.map {
        "\($0.contender) \($0.scenario)"
      }
    }
    #expect(try order() == order())
  }

  @Test(arguments: 1...9) func `every contender takes every position equally often`(count: Int) {
    let rows = Schedule(contenderCount: count, seed: 7).rows
    for position in 0..<count {
      let seen = Dictionary(grouping: rows.map { $0[position] }, by: \.self).mapValues(\.count)
      #expect(Set(seen.values) == [rows.count / count])
      #expect(seen.count == count)
    }
  }

  @Test(arguments: 2...9) func `every contender follows each other equally often`(count: Int) {
    let rows = Schedule(contenderCount: count, seed: 7).rows
    var followers: [[Int]: Int] = [:]
    for row in rows {
      for (first, second) in zip(row, row.dropFirst()) { followers[[first, second], default: 0] += 1 }
    }
    #expect(followers.count == count * (count - 1))
    #expect(Set(followers.values).count == 1)
  }
}

@Suite(.ownThread) struct DropRuleTests {
  private func reply(wall: UInt64, steal: UInt64?, involuntary: Int = 0) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    reply.wallNanoseconds = wall
    reply.disturbance.stealNanoseconds = steal
    reply.usage.involuntarySwitches = involuntary
    return reply
  }

  @Test(arguments: [
    (1_000_000 as UInt64, nil as UInt64?, false), (1_000_000, 0, false), (1_000_000, 10_000_000, true),
    (2_000_000_000, 10_000_000, false),
  ])
  func `steal above its share disturbs a sample`(wall: UInt64, steal: UInt64?, isDisturbed: Bool) {
    #expect(DropRule().isDisturbed(reply(wall: wall, steal: steal)) == isDisturbed)
  }

  @Test func `a few ticks of a short round disturb nothing`() {
    #expect(!DropRule().isDisturbed(by: TakenTime(nanoseconds: 30e6, ofNanoseconds: 40e6), usually: 0))
    #expect(DropRule().isDisturbed(by: TakenTime(nanoseconds: 40e6, ofNanoseconds: 40e6), usually: 0))
  }

  @Test func `a contender's own preemptions disturb nothing`() {
    #expect(!DropRule().isDisturbed(reply(wall: 1_000_000, steal: 0, involuntary: 9_999)))
  }
}

@Suite(.ownThread) struct WorkloadTests {
  @Test func `a scenario is defined by its data, not by its folders`() {
    var scenario = Scenario(name: "a", photos: 3)
    let definition = scenario.definition
    #expect(definition["photos"] == "3")
    #expect(definition["order"] == "shuffled")
    (scenario.mediaDirectory, scenario.storeDirectory) = ("/here", "/there")
    #expect(scenario.definition == definition)
    scenario.mediaChecksum = 7
    #expect(scenario.definition["mediaChecksum"] == "7")
  }
}
