import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct LoadRunnerTests {
  private final class Desk {
    var asked: [(contender: String, request: LoadRequest)] = []
    var launched: [String] = []
    var taken: [TakenWindow] = []
  }

  private static let second: UInt64 = 1_000_000_000

  /// Two windows for everybody, of whom one misbehaves as told.
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
      desk.asked.append((name, request))
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
    let measured = desk.asked.filter { $0.request.windowNanoseconds == 3 * Self.second }
    for round in 0..<4 {
      #expect(Set(measured[4 * round..<4 * round + 4].map(\.request.seed)).count == 1)
    }
    #expect(Set(measured.map(\.request.seed)).count == 4)
    // Over a whole design each has every place once.
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
    #expect(desk.asked.map(\.request.windowNanoseconds) == [1, 3, 1, 3].map { $0 * Self.second })
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
    // Two warm-ups and three windows.
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
    // Counts in equal parts scatter by their own mean, too: arrivals do not know of one another.
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
