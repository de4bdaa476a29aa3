import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct DuetTests {
  private let scenarios = [Scenario(name: "one", photos: 1), Scenario(name: "two", photos: 2)]

  private func plan(contenders: [String] = ["a", "b"]) -> DuetPlan<Scenario> {
    let cells = contenders.flatMap { contender in
      scenarios.map { CellKey(contender: contender, scenario: $0.name) }
    }
    return DuetPlan(cells, of: scenarios) { plan in
      plan.warmUpSamples = 2
      plan.samples = 4
      plan.sampleNanoseconds = 1_000
      plan.budgetNanoseconds = 1_000_000_000
    }
  }

  private static func reply(_ request: SampleRequest<Scenario>, cost: UInt64) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.wallNanoseconds = 2 * cost * UInt64(request.iterations)
    reply.usage.cpuUserNanoseconds = cost * UInt64(request.iterations)
    return reply
  }

  private struct Result {
    var pairs: [DuetPair] = []
    var failures: [DuetFailure] = []
    var launchers: [FakeSamplers] = []
    var ending: DuetEnding
  }

  private func run(
    _ plan: DuetPlan<Scenario>, pairsNeeded: @escaping (String) -> Int = { _ in 1 },
    isInterrupted: @escaping () -> Bool = { false }, clock: FakeClock = FakeClock(),
    whenLaunched: @escaping (String) -> Void = { _ in },
    base: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply = {
      reply($1, cost: 100)
    },
    candidate: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply = {
      reply($1, cost: 120)
    }
  ) throws -> Result {
    let launchers = [FakeSamplers(answer: base), FakeSamplers(answer: candidate)]
    launchers[0].whenLaunched = { whenLaunched("base") }
    launchers[1].whenLaunched = { whenLaunched("candidate") }
    var result = Result(launchers: launchers, ending: .interrupted)
    let duet = Duet(
      plan: plan, base: launchers[0].launch, candidate: launchers[1].launch, clock: clock.clock,
      isInterrupted: isInterrupted
    ) { event in
      switch event {
      case .success(let pair):
        result.pairs.append(pair)
        return pair.number + 1 >= pairsNeeded(pair.scenario)
      case .failure(let failure):
        result.failures.append(failure)
        return false
      }
    }
    result.ending = try duet.run()
    return result
  }

  @Test(arguments: [(DuetMeasure.cost, 1.0), (.wall, 2)])
  func `a pair has equally many samples of both sides, in its measure`(
    measure: DuetMeasure, wallPerCost: Double
  ) throws {
    var plan = plan()
    plan.measure = measure
    let result = try run(plan)
    #expect(result.ending == .decided)
    #expect(
      Set(result.pairs.map { "\($0.contender) \($0.scenario)" }) == ["a one", "a two", "b one", "b two"])
    for pair in result.pairs {
      #expect(pair.base == Array(repeating: 100 * wallPerCost, count: 4))
      #expect(pair.candidate == Array(repeating: 120 * wallPerCost, count: 4))
    }
  }

  @Test func `a decided cell leaves the rotation`() throws {
    let result = try run(plan(), pairsNeeded: { $0 == "one" ? 1 : 4 })
    for launcher in result.launchers {
      // Both cells of a contender share the processes of a pair; each pair has new ones.
      #expect(launcher.workers.count == 8 && launcher.workers.allSatisfy { $0.worker.isStopped })
    }
    let counts = Dictionary(grouping: result.pairs) { "\($0.contender) \($0.scenario)" }.mapValues(\.count)
    #expect(counts == ["a one": 1, "b one": 1, "a two": 4, "b two": 4])
    #expect(
      result.pairs.filter { $0.scenario == "two" && $0.contender == "a" }.map(\.number) == [0, 1, 2, 3])
  }

  @Test func `both sides repeat the post equally often`() throws {
    var requested: Set<Int> = []
    let result = try run(
      plan(contenders: ["a"]), pairsNeeded: { _ in 3 },
      base: { _, request in
        requested.insert(request.iterations)
        return Self.reply(request, cost: 50)
      },
      candidate: { _, request in
        requested.insert(request.iterations)
        return Self.reply(request, cost: 400)
      })
    #expect(result.ending == .decided)
    // The faster side takes 100 ns on the clock, so 10 posts make a sample of 1 µs.
    #expect(requested == [1, 10])
  }

  @Test func `a pair that the budget cuts off does not count`() throws {
    var plan = plan(contenders: ["a"])
    plan.budgetNanoseconds = 10_000
    let clock = FakeClock()
    var requested = 0
    let result = try run(
      plan, clock: clock,
      base: { _, request in
        requested += 1
        if requested == 3 { while clock.clock.nanoseconds() < 20_000 {} }
        return Self.reply(request, cost: 100)
      })
    #expect(result.ending == .outOfTime)
    #expect(result.pairs.isEmpty && result.failures.isEmpty)
    #expect(requested == 3)
    #expect(result.launchers.flatMap(\.workers).allSatisfy { $0.worker.isStopped })
  }

  @Test func `either side may start first, and have the first sample`() throws {
    var (starts, order): ([String], [String]) = ([], [])
    _ = try run(
      plan(contenders: ["a"]), pairsNeeded: { _ in 16 }, whenLaunched: { starts.append($0) },
      base: { _, request in
        order.append("base")
        return Self.reply(request, cost: 100)
      },
      candidate: { _, request in
        order.append("candidate")
        return Self.reply(request, cost: 100)
      })
    let firsts = stride(from: 0, to: order.count, by: 2).map { order[$0] }
    #expect(Set(firsts) == ["base", "candidate"])
    #expect(stride(from: 0, to: order.count, by: 2).allSatisfy { order[$0] != order[$0 + 1] })
    #expect(starts.count == 32)
    #expect(Set(stride(from: 0, to: 32, by: 2).map { starts[$0] }) == ["base", "candidate"])
  }

  @Test func `a disturbed sample removes its counterpart, too`() throws {
    var taken = 0
    let result = try run(
      plan(contenders: ["a"]),
      candidate: { _, request in
        var reply = Self.reply(request, cost: 120)
        taken += 1
        // One measured sample of each cell: the first after two warm-up samples.
        if taken % 7 == 3 { reply.disturbance.stealNanoseconds = 1_000_000 }
        return reply
      })
    for pair in result.pairs {
      #expect(pair.disturbed == 1)
      #expect((pair.base.count, pair.candidate.count) == (4, 4))
    }
  }

  @Test func `constant disturbance ends a pair without samples`() throws {
    let result = try run(
      plan(contenders: ["a"]),
      base: { _, request in
        var reply = Self.reply(request, cost: 120)
        reply.disturbance.stealNanoseconds = 1_000_000
        return reply
      })
    #expect(result.ending == .decided)
    #expect(result.pairs.allSatisfy { $0.base.isEmpty && $0.candidate.isEmpty && $0.disturbed == 8 })
  }

  @Test func `a failed cell leaves the rotation, and the others go on`() throws {
    let failure = WorkerFailure.silent(seconds: 40)
    let result = try run(
      plan(), pairsNeeded: { _ in 2 },
      candidate: { contender, request throws(WorkerFailure) in
        if contender == "b", request.scenario.name == "one" { throw failure }
        return Self.reply(request, cost: 120)
      })
    #expect(result.ending == .decided)
    #expect(
      result.failures == [
        DuetFailure(
          contender: "b", scenario: "one", side: .candidate, outcome: .timedOut, reason: failure.description)
      ])
    #expect(result.pairs.count == 3 * 2)
    #expect(result.launchers.flatMap(\.workers).allSatisfy { $0.worker.isStopped })
  }

  @Test func `a wrong sample fails its cell`() throws {
    let result = try run(
      plan(contenders: ["a"]),
      base: { _, request in
        request.scenario.name == "two"
          ? SampleReply(outcome: .wrong, reason: "two posts", iterations: 1) : Self.reply(request, cost: 1)
      })
    #expect(result.failures.map(\.reason) == ["two posts"])
    #expect(result.failures.map(\.side) == [.base])
    #expect(result.pairs.map(\.scenario) == ["one"])
  }

  @Test func `an interrupted duet stops its processes`() throws {
    var taken = 0
    let result = try run(
      plan(), pairsNeeded: { _ in .max }, isInterrupted: { taken > 30 },
      base: { _, request in
        taken += 1
        return Self.reply(request, cost: 100)
      })
    #expect(result.ending == .interrupted)
    #expect(result.launchers.flatMap(\.workers).allSatisfy { $0.worker.isStopped })
  }
}

@Suite(.ownThread) struct CountingPassesTests {
  private let scenarios = ["one", "two"].map { Scenario(name: $0, photos: 1) }

  private static func counted(_ request: SampleRequest<Scenario>, switches: Int = 0) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.counts = Counts(allocations: request.iterations)
    reply.usage.involuntarySwitches = switches
    return reply
  }

  private func take(
    _ answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  ) -> (endings: [String: CountingPasses<Scenario>.Ending]?, launches: Int) {
    let launcher = FakeLauncher(answer: answer)
    let endings = CountingPasses<Scenario>().take(
      of: "a", scenarios, launcher: launcher.launch, isInterrupted: { false })
    return (endings, launcher.workers.count)
  }

  @Test func `a counting pass is one post, after a warm-up`() {
    var requested: [Int] = []
    let (endings, launches) = take { _, request throws(WorkerFailure) in
      #expect(request.purpose == .allocations)
      requested.append(request.iterations)
      return Self.counted(request)
    }
    let three = CountingPasses<Scenario>.Ending.counted(Array(repeating: Counts(allocations: 1), count: 3))
    #expect(endings == ["one": three, "two": three])
    #expect(requested == [4, 1, 1, 1, 4, 1, 1, 1])
    #expect(launches == 1)
  }

  @Test func `a pass with an involuntary switch is repeated`() {
    var requested = 0
    let (endings, _) = take { _, request throws(WorkerFailure) in
      requested += 1
      var reply = Self.counted(request, switches: requested % 2)
      reply.counts?.allocations = requested % 2 == 1 ? 9 : 7
      return reply
    }
    let quiet = CountingPasses<Scenario>.Ending.counted(Array(repeating: Counts(allocations: 7), count: 3))
    #expect(endings == ["one": quiet, "two": quiet])
  }

  @Test func `if every pass has a switch, all passes count`() {
    let (endings, _) = take { _, request throws(WorkerFailure) in Self.counted(request, switches: 1) }
    guard case .counted(let passes) = endings?["one"] else {
      Issue.record("not counted")
      return
    }
    #expect(passes.count == 12)
  }

  @Test func `a failed pass keeps its reason, and the next has a fresh process`() {
    let (endings, launches) = take { _, request throws(WorkerFailure) in
      if request.scenario.name == "one" { throw .died(how: "signal 11") }
      return Self.counted(request)
    }
    #expect(endings?["one"] == .failed("the worker process died: signal 11"))
    #expect(endings?["two"] == .counted(Array(repeating: Counts(allocations: 1), count: 3)))
    #expect(launches == 2)
  }

  @Test func `a wrong post fails the count`() {
    let (endings, _) = take { _, request throws(WorkerFailure) in
      var reply = Self.counted(request)
      if request.iterations == 1 { reply.fail(.wrong, "two posts") }
      return reply
    }
    #expect(endings?["one"] == .failed("two posts"))
  }

  @Test func `an interrupt returns no counts`() {
    let (endings, _) = take { _, _ throws(WorkerFailure) in throw .interrupted }
    #expect(endings == nil)
  }
}
