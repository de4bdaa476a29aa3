import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadRuleTests {
  private typealias Machine = SyntheticLoad.Machine

  private func verdict(_ window: LoadWindow, _ objective: LatencyObjective? = SyntheticLoad.objective)
    -> LoadVerdict?
  { LoadRule(objective: objective).verdict(of: window) }

  @Test func `posts in time are sustained`() {
    #expect(verdict(SyntheticLoad.window()) == .held)
    #expect(verdict(SyntheticLoad.window(), nil) == .held)
  }

  @Test func `one post in a hundred may be late`() {
    #expect(verdict(SyntheticLoad.window { $0 % 100 == 0 ? 20_000_000 : 1_000_000 }) == .held)
    let missed = SyntheticLoad.window { $0 % 90 == 0 ? 20_000_000 : 1_000_000 }
    #expect(verdict(missed) == .missed)
    #expect(verdict(missed, nil) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 20_000_000)) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 19_999_999)) == .missed)
  }

  @Test func `too few posts give no percentile`() {
    #expect(verdict(SyntheticLoad.window(perSecond: 100)) == nil)
    #expect(verdict(SyntheticLoad.window(perSecond: 100), nil) == .held)
  }

  @Test(arguments: [(150_000_000, LoadVerdict.held), (160_000_000, .saturated)] as [(UInt64, LoadVerdict)])
  func `a twentieth of the window may pile up`(drainNanoseconds: UInt64, expected: LoadVerdict) {
    #expect(verdict(SyntheticLoad.window(drainNanoseconds: drainNanoseconds)) == expected)
  }

  @Test func `a long service time is no backlog`() {
    let window = SyntheticLoad.window(drainNanoseconds: 900_000_000) { _ in 850_000_000 }
    #expect(verdict(window, nil) == .held)
  }

  @Test func `a full window and a given-up post are saturation`() {
    var window = SyntheticLoad.window()
    window.isFull = true
    #expect(verdict(window) == .saturated)
    window.isFull = false
    window.posts.givenUp = 1
    #expect(verdict(window) == .saturated)
  }

  @Test(
    arguments: [
      (0.2, 0.75, 0, .machineLimit), (0.2, 0, 0.75, .machineLimit), (0.2, 0.5, 0, .missed),
      (0.95, 0.05, 0, .missed),
    ] as [(Double, Double, Double, LoadVerdict)])
  func `busy other processes are the machine's limit`(
    process: Double, others: Double, steal: Double, expected: LoadVerdict
  ) {
    let window = SyntheticLoad.window(
      machine: Machine(process: process, others: others, steal: steal)
    ) { _ in 50_000_000 }
    #expect(verdict(window) == expected)
  }

  @Test func `a rate sustained beside busy processes is sustained`() {
    #expect(verdict(SyntheticLoad.window(machine: Machine(others: 0.8))) == .held)
  }

  @Test func `a late generator is no miss, unless the contender was busy`() {
    let late = { (process: Double) in
      SyntheticLoad.window(latenessNanoseconds: 1_100_000, machine: Machine(process: process)) { _ in
        50_000_000
      }
    }
    #expect(verdict(late(0.2)) == .generatorLate)
    #expect(verdict(late(0.9)) == .missed)
    // A tenth of the objective's time is late, too.
    let strict = LatencyObjective(percentile: .p99, nanoseconds: 1_000_000)
    #expect(
      verdict(SyntheticLoad.window(latenessNanoseconds: 110_000) { _ in 2_000_000 }, strict) == .generatorLate
    )
  }

  @Test func `unknown readings excuse nothing`() {
    var window = SyntheticLoad.window(machine: Machine(others: 0.8)) { _ in 50_000_000 }
    window.busyNanoseconds = nil
    #expect(verdict(window) == .missed)
  }

  @Test func `a failed window has no verdict`() {
    var window = SyntheticLoad.window()
    window.outcome = .wrong
    #expect(verdict(window) == nil)
  }

  @Test(
    arguments: [(.p50, 20), (.p90, 100), (.p99, 1_000), (.p999, 10_000), (.p9999, 100_000)]
      as [(TailPercentile, Int)])
  func `a percentile needs ten numbers beyond it`(percentile: TailPercentile, fewest: Int) {
    #expect(percentile.fewestNumbers == fewest)
    var histogram = LogHistogram()
    for value in 1..<UInt64(fewest) { histogram.add(value) }
    #expect(percentile.value(of: histogram) == nil)
    histogram.add(UInt64(fewest))
    #expect(percentile.value(of: histogram) != nil)
  }
}

@Suite(.ownThread) struct LoadAnalysisTests {
  private func summary(_ contender: String) throws -> LoadSummary {
    try #require(SyntheticLoad.analysis.summaries.first { $0.subject.contender == contender })
  }

  @Test func `windows of a rate are pooled for rare percentiles`() throws {
    let row = try summary("callbacks")
    #expect(row.windows == 4)
    #expect(row.posts == 12_000)
    #expect(row.figures.p999Nanoseconds != nil)
    #expect(row.figures.p9999Nanoseconds == nil)
    // One window has too few.
    var window = SyntheticLoad.windows[0]
    window.judge(by: SyntheticLoad.analysis.rule)
    #expect(window.figures.p999Nanoseconds == nil)
    #expect(window.figures.p99Nanoseconds != nil)
  }

  @Test func `a disturbed window is left out`() throws {
    let row = try summary("futures")
    #expect(row.disturbedWindows == 1)
    #expect(row.windows == 3)
    #expect(row.verdict == .held)
    #expect(try #require(row.figures.maxNanoseconds) < 10_000_000)
  }

  @Test func `if most windows are disturbed, the machine is the limit`() throws {
    let windows = (0..<3).map { round in
      SyntheticLoad.window(round: round, machine: .init(others: round > 0 ? 0.8 : 0)) { _ in 50_000_000 }
    }
    let row = LoadAnalysis(run: "made-up", windows, rule: SyntheticLoad.analysis.rule).summaries[0]
    #expect(row.windows == 3)
    #expect(row.disturbedWindows == 2)
    #expect(row.verdict == .machineLimit)
  }

  @Test func `the achieved rate is that of the ends`() throws {
    // 3 000 posts in three seconds and the second of the drain.
    let achieved = try #require(try summary("coroutines").figures.achievedPerSecond)
    #expect(abs(achieved - 750) < 1)
    #expect(try #require(try summary("callbacks").figures.achievedPerSecond) == 1_000)
  }
}

enum SyntheticLoad {
  /// A second of a machine with two processors.
  struct Machine {
    var process = 0.2
    var others = 0.0
    var steal = 0.0
  }

  /// - Parameter latencyNanoseconds: of the post with this number.
  static func window(
    _ contender: String = "futures", perSecond: Double = 1_000, seconds: Double = 3, round: Int = 0,
    drainNanoseconds: UInt64 = 0, latenessNanoseconds: UInt64 = 20_000, machine: Machine = Machine(),
    latencyNanoseconds: (Int) -> UInt64 = { 4_000_000 + UInt64($0 % 100) * 10_000 }
  ) -> LoadWindow {
    var window = LoadWindow()
    window.subject = LoadSubject {
      ($0.run, $0.contender, $0.scenario) = ("made-up", contender, "publish-latency-10")
      ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "latency", 10, 65_536)
      $0.schedule = "poisson"
    }
    window.round = round
    window.offeredPerSecond = perSecond
    window.windowNanoseconds = Int(seconds * 1e9)
    let posts = Int(perSecond * seconds)
    window.posts.due = posts
    window.posts.completed = posts
    window.posts.peakInFlight = 7
    window.idealNanoseconds = 3_000_000
    for post in 0..<posts {
      window.latencies.add(latencyNanoseconds(post))
      window.lateness.add(latenessNanoseconds)
      window.holdUps.add(0)
    }
    window.earlyLatencyNanoseconds = latencyNanoseconds(0)
    window.drainNanoseconds = Int(drainNanoseconds)
    let capacity = 2 * seconds * 1e9
    window.processNanoseconds = UInt64(machine.process * capacity)
    window.busyNanoseconds = UInt64((machine.process + machine.others) * capacity)
    window.stealNanoseconds = Int(machine.steal * capacity)
    window.idleNanoseconds = UInt64(max(0, 1 - machine.process - machine.others - machine.steal) * capacity)
    return window
  }

  static let objective = LatencyObjective(percentile: .p99, nanoseconds: 10_000_000)

  /// One of each kind.
  static let windows: [LoadWindow] = {
    var windows: [LoadWindow] = []
    for round in 0..<4 {
      windows.append(window("callbacks", round: round))
      windows.append(
        window("futures", round: round, machine: round == 1 ? Machine(others: 0.8) : Machine()) {
          round == 1 ? 90_000_000 : 5_000_000 + UInt64($0)
        })
      windows.append(window("operations", round: round) { $0 % 50 == 0 ? 30_000_000 : 6_000_000 })
      windows.append(
        window("coroutines", round: round, drainNanoseconds: 1_000_000_000, machine: Machine(process: 0.9)) {
          UInt64($0) * 400_000 + 1_000_000
        })
      windows.append(
        window("a-name-that-leaves-no-room", round: round, latenessNanoseconds: 3_000_000) { _ in 40_000_000 }
      )
    }
    var wrong = window("gcd-groups")
    wrong.outcome = .wrong
    wrong.reason = "post: got created 2 times, expected created once"
    return windows + [wrong]
  }()

  static let limits = [
    LoadLimit {
      ($0.run, $0.contender, $0.scenario) = ("made-up", "callbacks", "publish-latency-10")
      ($0.objectivePercentile, $0.objectiveNanoseconds, $0.heldPerSecond) = ("p99", 10_000_000, 1_000)
      ($0.missedPerSecond, $0.windows, $0.outcome) = (1_090, 17, .measured)
    },
    LoadLimit {
      ($0.run, $0.contender, $0.scenario) = ("made-up", "operations", "publish-latency-10")
      ($0.objectivePercentile, $0.objectiveNanoseconds, $0.windows) = ("p99", 10_000_000, 4)
      $0.isMonotone = false
      $0.outcome = .measured
      $0.reason = "time was up before the search was through"
    },
  ]

  static let analysis = LoadAnalysis(run: "made-up", windows, rule: LoadRule(objective: objective))
  static let search = LoadAnalysis(
    run: "made-up", windows, rule: LoadRule(objective: objective), limits: limits)
}
