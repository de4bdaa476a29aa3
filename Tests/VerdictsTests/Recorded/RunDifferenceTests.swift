import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RunDifferenceTests {
  private static func environment(_ change: (inout EnvironmentRecord) -> Void) -> EnvironmentRecord {
    Recorded.environment(change)
  }

  private func differences(_ environment: EnvironmentRecord) -> [RunDifference] {
    RunDifference.between(Recorded.run("base"), Recorded.run("now", environment: environment))
  }

  @Test func `samples missing from the file are a doubt`() {
    let cut = RecordedRun(
      name: "now", environment: Recorded.environment(), samples: Recorded.samples(),
      lostSamples: 3)
    #expect(
      RunDifference.between(Recorded.run("base"), cut) == [
        RunDifference(
          "now lacks 3 samples that its summary.csv counts.", isDoubt: true)
      ])
  }

  @Test func `two runs of one build on one machine do not differ`() {
    #expect(differences(Self.environment { $0.startedAt += 60 }).isEmpty)
    #expect(differences(Self.environment { $0.commit = "fedcba" }).isEmpty)
  }

  @Test(
    arguments: [
      ("The runs differ in their processor: Example CPU, now Other.", environment { $0.cpuModel = "Other" }),
      ("The runs differ in their number of cores: 2, now 4.", environment { $0.coreCount = 4 }),
      (
        "The runs differ in their architecture: x86_64, now arm64.", environment { $0.architecture = "arm64" }
      ),
      (
        "The runs differ in their operating system: Linux, now macOS 15.",
        environment { $0.operatingSystem = "macOS 15" }
      ),
      ("The runs differ in their kernel: 6.1, now 6.2.", environment { $0.kernel = "6.2" }),
      (
        "The runs differ in their toolchain: Swift 6.3.1, now Swift 6.4.",
        environment { $0.toolchain = "Swift 6.4" }
      ),
      ("now does not record its toolchain.", environment { $0.toolchain = nil }),
      (
        "The two runs left out disturbed rounds by different rules.",
        environment { $0.notes["drop_rule"] = "another" }
      ),
      (
        "Only one of the two runs kept processors awake (--awake).",
        environment { $0.latencyRequestMicroseconds = 0 }
      ),
    ] as [(String, EnvironmentRecord)])
  func `a changed machine or toolchain makes a gate inconclusive`(
    text: String, environment: EnvironmentRecord
  )
    throws
  {
    #expect(differences(environment) == [RunDifference(text, isDoubt: true)])
    let comparison = try Recorded.comparison(Recorded.run("now", environment: environment))
    let gate = CheckReport(comparison, isGate: true)
    #expect(gate.verdict == .inconclusive)
    #expect(gate.headline.hasPrefix("Inconclusive: \(text)"))
    let informing = CheckReport(comparison, isGate: false)
    #expect(informing.verdict == .passed)
    #expect(informing.notes.contains(text))
  }

  @Test(
    arguments: [
      ("now was recorded with uncommitted changes.", environment { $0.isDirty = true }),
      ("now was ended early.", environment { $0.finishedAt = nil }),
      ("now was ended early.", environment { $0.isInterrupted = true }),
      (
        "now compares with b, but here the reference of both runs is the same contender.",
        environment { $0.reference = "b" }
      ),
    ] as [(String, EnvironmentRecord)])
  func `lesser differences are notes`(text: String, environment: EnvironmentRecord) {
    #expect(differences(environment) == [RunDifference(text)])
  }

  @Test(arguments: [(1, false), (2, true)])
  func `a run with too much disturbance decides nothing`(disturbed: Int, isDoubt: Bool) throws {
    // Of five rounds.
    let run = Recorded.run("now", Recorded.samples(seed: 2, disturbed: disturbed))
    let comparison = try Recorded.comparison(run)
    #expect(comparison.differences.contains(where: \.isDoubt) == isDoubt)
    #expect((CheckReport(comparison, isGate: true).verdict == .inconclusive) == isDoubt)
  }

  @Test func `text from a file stays on its line`() {
    let found = differences(Self.environment { $0.cpuModel = "=1\n" + String(repeating: "x", count: 500) })
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.text.count < 120 && !$0.text.contains("\n") })
  }

  private func run(_ name: String, _ machines: [String?: Double], own: String? = nil) -> RecordedRun {
    let samples = machines.sorted { ($0.key ?? "") < ($1.key ?? "") }.flatMap { machine, ratio in
      Recorded.samples([.init(contender: "a", ratio: ratio)], scenarios: ["s"]).changing { sample in
        sample.machine = machine
      }
    }
    return Recorded.run(name, samples, environment: Recorded.environment { $0.machine = own })
  }

  private func ratios(_ base: RecordedRun, _ candidate: RecordedRun) throws -> [String: Double] {
    let comparison = try Recorded.comparison(base, candidate)
    return Dictionary(
      uniqueKeysWithValues: comparison.times.map {
        ($0.key.description, (($0.numbers.ratio ?? 0) * 10).rounded() / 10)
      })
  }

  @Test func `machines of one name are compared with each other`() throws {
    let found = try ratios(run("b", ["m1": 2, "m2": 4]), run("c", ["m2": 4, "m1": 6]))
    #expect(found == ["a × s @ m1": 3, "a × s @ m2": 1])
  }

  @Test func `a run of one machine is compared with its part of a merged run`() throws {
    #expect(try ratios(run("b", ["m1": 2, "m2": 4]), run("c", [nil: 8], own: "m2")) == ["a × s @ m2": 2])
    #expect(try ratios(run("b", [nil: 8], own: "m2"), run("c", ["m1": 2, "m2": 4])) == ["a × s": 0.5])
  }

  @Test func `two runs of one machine each are compared`() throws {
    #expect(try ratios(run("b", [nil: 2], own: "x"), run("c", [nil: 6], own: "y")) == ["a × s": 3])
    #expect(try ratios(run("b", [nil: 2]), run("c", ["y": 6])) == ["a × s": 3])
  }

  @Test func `machines without a counterpart are not compared`() throws {
    let comparison = try Recorded.comparison(run("b", ["m1": 2, "m2": 4]), run("c", ["m2": 4, "m3": 6]))
    #expect(comparison.times.map(\.key.machine) == ["m2"])
    #expect(
      NotCompared.sentences(comparison.notCompared) == [
        "s @ m1 (2 cells): only in b.", "s @ m3 (2 cells): only in c.",
      ])
  }
}

@Suite(.ownThread) struct ExactCountTests {
  private let allocations = CountedQuantity.allocations

  /// A cell whose passes, one a generation, counted these allocations in these posts.
  private func cell(_ passes: [(total: Int, posts: Int)]) -> CellSamples {
    let samples = passes.enumerated().map { generation, pass in
      var sample = Recorded.samples(scenarios: ["s-1"])[0]
      (sample.generation, sample.iterations, sample.allocations) = (generation, pass.posts, pass.total)
      return sample
    }
    return CellSamples(key: CellKey(contender: "floor", scenario: "s-1"), samples: SampleSelection(samples))
  }

  @Test(
    arguments: [
      ([(1_000, 10), (1_000, 10)], 100),
      // More posts have the same count each.
      ([(2_000, 20), (1_000, 10)], 100),
      ([(1_000, 10), (1_001, 10)], nil), ([(1_001, 10), (1_001, 10)], nil), ([(1_000, 10)], nil),
      // Two single posts are no proof.
      ([(100, 1), (100, 1)], nil), ([], nil),
    ] as [([(Int, Int)], Int?)])
  func `a count is exact if all passes of enough posts agree`(passes: [(Int, Int)], perPost: Int?) {
    let cell = passes.isEmpty ? cell([(0, 1)]) : cell(passes.map { ($0.0, $0.1) })
    #expect(CountedCell(recorded: cell, allocations)?.exact(allocations) == perPost)
  }

  @Test(
    arguments: [
      (100, .unchanged, "100"), (101, .regressed, "100 -> 101, +1"), (99, .improved, "100 -> 99, -1"),
    ] as [(Int, CheckRow.State, String)])
  func `any difference of an exact count decides`(count: Int, state: CheckRow.State, change: String) throws {
    var contenders = Recorded.contenders
    contenders[2].allocations = count
    let comparison = try Recorded.comparison(Recorded.run("now", Recorded.samples(contenders, seed: 2)))
    let rows = comparison.counts
    #expect(rows.count == 12)
    for row in rows {
      #expect(row.state == (row.key.contender == "c" ? state : .unchanged))
      #expect(row.quantity == "allocations per post")
      if row.key.contender == "c" { #expect(row.change == change) }
    }
    let report = CheckReport(comparison, isGate: true)
    #expect(report.verdict == (state == .regressed ? .regressed : .passed))
    #expect(report.headline.hasPrefix("9 cells against base: 9 unchanged. 12 counts: "))
  }

  @Test func `a count that varies in the base decides nothing and is described`() throws {
    let varying = Recorded.run(
      "base",
      Recorded.samples().changing { sample in
        if sample.generation == 1 { sample.allocations = sample.allocations.map { $0 + 1 } }
      })
    let comparison = try Recorded.comparison(varying, Recorded.run("now", Recorded.samples(seed: 2)))
    #expect(comparison.counts.isEmpty)
    #expect(
      comparison.reading.last
        == "12 counts of base vary from pass to pass, or come from too few iterations, and decide nothing."
    )
  }

  @Test(
    arguments: [
      // Every pass has at least one more.
      ([(2_000, 10), (2_005, 10)], .regressed, "100 -> 200 to 201, +100"),
      ([(1_010, 10), (1_011, 10)], .regressed, "100 -> 101 to 102, +1"),
      ([(1_000, 10), (1_011, 10), (1_012, 10)], .inconclusive, "100 -> 100 to 102"),
      // One more or less now and then.
      ([(1_000, 10), (1_000, 10), (1_011, 10)], .unchanged, "100 -> 100 to 102"),
      ([(999, 10), (998, 10)], .unchanged, "100 -> 99 to 100"),
      // Too few posts.
      ([(200, 1)], nil, ""), ([], nil, ""),
    ] as [([(Int, Int)], CheckRow.State?, String)])
  func `a count that is no longer exact is still compared`(
    passes: [(Int, Int)], state: CheckRow.State?, change: String
  ) {
    let row = CountedCell(recorded: cell(passes.map { ($0.0, $0.1) }), allocations).flatMap {
      CheckRow($0, allocations, against: .exact(100))
    }
    #expect(row?.state == state)
    #expect(row?.change ?? "" == change)
  }
}

@Suite(.ownThread) struct ComparisonTextReportTests {
  static func comparison() throws -> RecordedComparison {
    var now = Recorded.contenders + [.init(contender: "swift-concurrency/discarding", ratio: 3)]
    now[0].ratio = 2.6
    now[1].outcome = .wrong
    now[2].allocations = 104
    let samples = Recorded.samples(now, seed: 2)
    return try Recorded.comparison(
      Recorded.run(
        "results/base",
        Recorded.samples(
          Recorded.contenders + [.init(contender: "swift-concurrency/discarding", ratio: 3)])),
      Recorded.run(
        "results/now", samples,
        environment: Recorded.environment {
          $0.startedAt += 3_600
          $0.toolchain = "Swift 6.4"
          $0.isDirty = true
        }))
  }

  /// Two generations are too few for times, and enough for counts.
  private func withoutTimes() throws -> RecordedComparison {
    let samples = Recorded.samples(generations: 2)
    return try Recorded.comparison(Recorded.run("base", samples), Recorded.run("now", samples))
  }

  @Test func `the headline says why no time was compared`() throws {
    let comparison = try withoutTimes()
    let reason =
      "2 generations with undisturbed rounds in base, but a verdict needs 3: record with --generations 6 and a longer --budget."
    #expect(
      CheckReport(comparison, isGate: false).headline
        == "12 counts against base: 12 unchanged. No time could be compared: \(reason)")
    #expect(CheckReport(try Self.comparison(), isGate: false).remark == nil)
    let text = CheckReport(comparison, isGate: false).document.text()
    // One sentence for all three.
    #expect(text.contains("  a, b, c (9 cells): 2 generations"), "\(text)")
  }

  @Test(
    arguments: [
      (0.9996, "0.0 %"), (1.026, "+2.6 %"), (0.995, "-0.5 %"), (1, "0.0 %"), (1.18, "+18 %"), (0.5, "-50 %"),
      (3, "+200 %"), (20, "×20.0"),
    ] as [(Double, String)])
  func `a change is a percentage, or a factor if large`(ratio: Double, text: String) {
    #expect(CheckRow.text(of: ratio) == text)
  }
}
