import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RecordedComparisonTests {
  typealias Truth = Recorded.Truth

  private func states(_ comparison: RecordedComparison) -> [String: CheckRow.State] {
    Dictionary(uniqueKeysWithValues: comparison.times.map { ("\($0.key)", $0.state) })
  }

  /// `c` of scenario `s-2` changes by a factor, and nothing else.
  private func changed(by factor: Double) -> [Sample] {
    Recorded.samples(seed: 2).changing { sample in
      if sample.contender == "c", sample.scenario == "s-2" {
        sample.wallNanoseconds = sample.wallNanoseconds.map { Int(Double($0) * factor) }
      }
    }
  }

  @Test(arguments: [(1, .unchanged), (1.3, .regressed), (0.75, .improved)] as [(Double, CheckRow.State)])
  func `a cell is judged by its own change`(factor: Double, state: CheckRow.State) throws {
    let found = states(try Recorded.comparison(Recorded.run("now", changed(by: factor))))
    #expect(found.count == 9)
    for (key, found) in found { #expect(found == (key == "c × s-2" ? state : .unchanged), "\(key)") }
  }

  @Test func `noisy processes make every cell inconclusive`() throws {
    let noisy = Recorded.contenders.map { Truth(contender: $0.contender, ratio: 2, spread: 0.3) }
    let comparison = try Recorded.comparison(
      Recorded.run("base", Recorded.samples(noisy)),
      Recorded.run("now", Recorded.samples(noisy, seed: 2)))
    #expect(states(comparison).values.allSatisfy { $0 == .inconclusive })
  }

  @Test func `the speed of another machine cancels out`() throws {
    let candidate = Recorded.run("now", Recorded.samples(speed: 0.4, seed: 2))
    let comparison = try Recorded.comparison(candidate)
    #expect(states(comparison).values.allSatisfy { $0 == .unchanged })
    let reference = try #require(comparison.referenceRatios.first?.ratio)
    #expect(abs(reference - 2.5) < 0.01)
    #expect(
      comparison.references[0].hasPrefix(
        "floor itself changed by +150.0 % in s-1, +150.0 % in s-2, +150.0 % in s-3."))
  }

  @Test func `a scatter that all cells share is noise between runs`() throws {
    // Half of the cells a tenth slower, half a tenth faster, and processes that hardly differ.
    func run(_ name: String, _ factors: [Double]) -> RecordedRun {
      Recorded.run(
        name,
        Recorded.samples(
          zip(["a", "b", "c", "d"], factors).map { Truth(contender: $0, ratio: 2 * $1) }, seed: 2))
    }
    let comparison = try Recorded.comparison(run("base", [1, 1, 1, 1]), run("now", [1.1, 0.9, 1.1, 0.9]))
    #expect(comparison.betweenRuns > 5)
    #expect(states(comparison).values.allSatisfy { $0 == .inconclusive })
  }

  @Test func `a run against itself is one line and passes`() throws {
    let run = Recorded.run("results/base")
    #expect(run.isSame(as: Recorded.run("a/copy")))
    #expect(!run.isSame(as: Recorded.run("edited", changed(by: 2))))
    #expect(
      !run.isSame(
        as: Recorded.run(
          "results/base", environment: Recorded.environment { $0.startedAt += 60 })))
    let report = CheckReport(ofRunItself: run.name, run.environment)
    #expect(report.verdict == .passed && !report.saysNothing)
    #expect(try report.json().contains("\"verdict\" : \"passed\""))
  }

  @Test func `a common move of all cells is blamed on the reference`() throws {
    let moved = Recorded.samples(seed: 2).changing { sample in
      if sample.contender == "floor", sample.scenario == "s-1" {
        sample.wallNanoseconds = sample.wallNanoseconds.map { $0 * 2 }
      }
    }
    let comparison = try Recorded.comparison(Recorded.run("now", moved))
    let doubts = comparison.differences.filter(\.isDoubt).map(\.text)
    #expect(doubts.count == 1)
    #expect(doubts.first?.hasPrefix("All 3 contenders in s-1 changed in the same direction, by -50.") == true)
    #expect(doubts.first?.hasSuffix("so probably their reference floor changed instead.") == true)
  }

  @Test(
    arguments: [
      (["floor", "a", "b"], ["s-1", "s-2", "s-3"], ["c (3 cells): only in base."]),
      (["floor", "a", "b", "c"], ["s-1", "s-2"], ["s-3 (4 cells): only in base."]),
      (["floor", "a", "b", "c", "d"], ["s-1", "s-2", "s-3"], ["d (3 cells): only in now."]),
    ])
  func `cells that only one run has are named`(contenders: [String], scenarios: [String], left: [String])
    throws
  {
    let truths = contenders.dropFirst().map { Truth(contender: $0, ratio: 2) }
    let comparison = try Recorded.comparison(
      Recorded.run("now", Recorded.samples(truths, scenarios: scenarios, seed: 2)))
    #expect(NotCompared.sentences(comparison.notCompared) == left)
    let gate = CheckReport(comparison, isGate: true)
    let lost = gate.rows(.inconclusive).map { $0.reason ?? "" }
    #expect(lost == Array(repeating: "only in base", count: left[0].hasSuffix("base.") ? lost.count : 0))
    #expect(lost.isEmpty == left[0].hasSuffix("now."))
  }

  /// As a suite's benchmarks without `by:`, whose counts all vary.
  @Test func `a reference alone shows its own time, and decides nothing`() throws {
    func run(_ name: String, speed: Double) -> RecordedRun {
      Recorded.run(name, Recorded.samples([], speed: speed).changing { $0.allocations = nil })
    }
    let comparison = try Recorded.comparison(run("base", speed: 1), run("now", speed: 0.5))
    #expect(comparison.times.isEmpty)
    #expect(comparison.referenceRatios.map(\.place.scenario) == ["s-1", "s-2", "s-3"])
    #expect(comparison.referenceRatios.allSatisfy { abs($0.ratio - 2) < 0.01 })
    let gate = CheckReport(comparison, isGate: true)
    #expect(gate.verdict == .inconclusive && gate.saysNothing)
  }

  @Test func `a different job of the same name is not compared`() throws {
    let other = Recorded.samples(seed: 2).changing { sample in
      if sample.scenario == "s-2" { sample.fanOut = 10 }
    }
    let comparison = try Recorded.comparison(Recorded.run("now", other))
    #expect(
      NotCompared.sentences(comparison.notCompared)
        == ["s-2 (4 cells): the scenarios differ, fan_out was 100 and is 10."])
    #expect(Set((comparison.times + comparison.counts).map(\.key.scenario)) == ["s-1", "s-3"])
  }

  @Test func `a new failure fails, an old one is not compared`() throws {
    var broken = Recorded.contenders
    broken[1].outcome = .failed
    let failing = Recorded.run("now", Recorded.samples(broken, scenarios: ["s-1"]))
    let sound = Recorded.run("base", Recorded.samples(scenarios: ["s-1"]))
    let report = CheckReport(try Recorded.comparison(sound, failing), isGate: true)
    #expect(report.rows(.failed).map(\.key.contender) == ["b"])
    #expect(report.rows(.failed).map(\.reason) == ["media 3: nothing came"])
    #expect(report.verdict == .failed)
    let comparison = try Recorded.comparison(failing, sound)
    #expect(comparison.notCompared.map(\.reason) == ["no valid time in now: media 3: nothing came"])
  }

  @Test(
    arguments: [
      (1, Recorded.environment { $0.commandLine.append("--quick") }, "record without --quick"),
      (2, Recorded.environment(), "record with --generations 6 and a longer --budget"),
      (2, Recorded.environment { $0.isInterrupted = true }, "that run was interrupted"),
      (
        2, Recorded.environment { $0.finishedAt = nil },
        "that run has no end time: it was killed or is still running"
      ),
    ] as [(Int, EnvironmentRecord, String)])
  func `too few generations decide nothing`(
    generations: Int, environment: EnvironmentRecord, advice: String
  ) throws {
    let few = Recorded.run(
      "now", Recorded.samples(generations: generations, seed: 2), environment: environment)
    let comparison = try Recorded.comparison(few)
    #expect(comparison.times.isEmpty)
    #expect(
      comparison.notCompared.allSatisfy {
        $0.reason.hasSuffix("with undisturbed rounds in now, but a verdict needs 3: \(advice)")
      })
    #expect(CheckReport(comparison, isGate: true).verdict == .inconclusive)
  }

  @Test(arguments: [nil, "nothing\n\u{1B}[31m"])
  func `a missing reference is reported`(reference: String?) {
    let run = Recorded.run("base", environment: Recorded.environment { $0.reference = reference })
    let problem = #expect(throws: RecordedProblem.self) { try Recorded.comparison(run, run) }
    #expect(problem?.description.hasSuffix("give --reference NAME.") == true)
    #expect(problem?.description.contains { $0.isNewline || $0 == "\u{1B}" } == false)
  }

  @Test func `scenarios without the reference are not compared`() throws {
    let without = Recorded.samples(seed: 2).filter { $0.contender != "floor" || $0.scenario == "s-1" }
      .changing { sample in sample.allocations = nil }
    let comparison = try Recorded.comparison(Recorded.run("now", without))
    #expect(
      NotCompared.sentences(comparison.notCompared).last
        == "s-2, s-3 (6 cells): now has no time of the reference floor there (--reference takes another).")
  }

  @Test(
    arguments: [
      (
        "base was recorded by a release build and now by a debug build",
        Recorded.environment { $0.buildConfiguration = "debug" }
      ),
      ("base was recorded with seed 1 and now with seed 7", Recorded.environment { $0.seed = 7 }),
      // Records of the first edition name none.
      (
        "base was recorded with edition 1 of the contenders' contract and now with edition 2",
        Recorded.environment { $0.contract = 2 }
      ),
    ])
  func `runs of another build, seed or contract are refused`(reason: String, environment: EnvironmentRecord) {
    let candidate = Recorded.run("now", environment: environment)
    let problem = #expect(throws: RecordedProblem.self) { try Recorded.comparison(candidate) }
    #expect(problem?.description.hasPrefix(reason) == true, "\(problem?.description ?? "")")
  }

  @Test func `runs with nothing in common are refused with a reason`() {
    let problem = #expect(throws: RecordedProblem.self) {
      try Recorded.comparison(Recorded.run("now", Recorded.samples(scenarios: ["other"])))
    }
    #expect(
      problem?.description
        == "now and base have nothing that can be compared: s-1, s-2, s-3 (12 cells): only in base. other (4 cells): only in now."
    )
  }

  /// The rule's level, with heavy tails between processes and more variation between runs.
  @Test func `runs of one build rarely differ`() throws {
    var alarms = 0
    let truths = (0..<8).map { Truth(contender: "c\($0)", ratio: 2, spread: 0.2) }
    let runs = (1...Effort.count(8, thorough: 16)).map { seed in
      var shift: UInt64 = UInt64(seed) &* 77_777
      return Recorded.run(
        "r\(seed)",
        Recorded.samples(
          truths.map { truth in
            shift = shift &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let between = Double(shift >> 11) * 0x1p-52 - 1
            return Truth(contender: truth.contender, ratio: 2 * exp(0.1 * between), spread: 0.2)
          }, seed: UInt64(seed)))
    }
    for (index, base) in runs.enumerated() {
      for candidate in runs[(index + 1)...] {
        alarms += states(try Recorded.comparison(base, candidate)).values.count {
          $0 == .regressed || $0 == .improved
        }
      }
    }
    // Of 672 or 2 880 cells; the level of a family is 1 %.
    #expect(alarms <= Effort.count(1, thorough: 3))
  }
}

@Suite(.ownThread) struct GenerationRatiosTests {
  private func cell(_ contender: String, _ walls: [[Int?]]) -> CellSamples {
    let samples = walls.enumerated().flatMap { generation, walls in
      walls.enumerated().compactMap { round, wall -> Sample? in
        guard let wall else { return nil }
        var sample = Recorded.samples(scenarios: ["s-1"])[0]
        (sample.generation, sample.round, sample.contender) = (generation, round, contender)
        sample.wallNanoseconds = wall
        return sample
      }
    }
    return CellSamples(key: CellKey(contender: contender, scenario: "s-1"), samples: SampleSelection(samples))
  }

  @Test func `a generation is one number, of its fastest samples`() {
    let ratios = GenerationRatios(
      cell("a", [[200, 900, 900, 900], [300, 300]]), to: cell("floor", [[100, 100, 100, 100], [100, 400]]))
    // Disturbance only adds time, so the fastest quarter counts.
    #expect(ratios.values.map { exp($0).rounded() } == [2, 3])
  }

  @Test func `only rounds that both have count`() {
    let ratios = GenerationRatios(
      cell("a", [[nil, 300], [200, nil]]), to: cell("floor", [[10, 100], [nil, 100]]))
    #expect(ratios.values.map { exp($0).rounded() } == [3])
  }

  @Test func `the variance between processes has a least value`() {
    #expect(GenerationRatios([1, 1, 1]).variance == 0.003 * 0.003)
    #expect(abs(GenerationRatios([1, 2, 3]).variance - 1) < 1e-12)
  }
}

enum Recorded {
  /// A contender's ratio to the reference, and how much it varies between generations.
  struct Truth {
    var contender: String
    var ratio: Double
    var spread = 0.01
    var allocations: Int?
    var outcome = Outcome.measured
  }

  static let contenders = ["a", "b", "c"].map { Truth(contender: $0, ratio: 2, allocations: 100) }

  /// - Parameters:
  ///   - speed: of the machine, the reference included.
  ///   - seed: of the differences between generations.
  static func samples(
    _ contenders: [Truth] = contenders, scenarios: [String] = ["s-1", "s-2", "s-3"], speed: Double = 1,
    generations: Int = 6, seed: UInt64 = 1, disturbed: Int = 0
  ) -> [Sample] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func unit() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-52 - 1
    }
    let all = [Truth(contender: "floor", ratio: 1, spread: 0, allocations: 10)] + contenders
    return scenarios.flatMap { scenario in
      (0..<generations).flatMap { generation in
        all.flatMap { truth in
          let process = exp(truth.spread * unit() * 1.7)
          return (0..<5).map { round in
            var sample = Sample {
              ($0.run, $0.generation, $0.round, $0.position) = ("r", generation, round, 0)
              ($0.contender, $0.scenario, $0.pattern) = (truth.contender, scenario, "publish")
              ($0.service, $0.fanOut, $0.payloadBytes, $0.iterations) = ("instant", 100, 65_536, 10)
              $0.outcome = truth.outcome
              $0.reason = truth.outcome == .measured ? nil : "media 3: nothing came"
              $0.wallNanoseconds = truth.outcome == .measured ? Int(1e6 * truth.ratio * process / speed) : nil
            }
            sample.allocations = generation < 2 ? truth.allocations.map { $0 * sample.iterations } : nil
            sample.dropped = round < disturbed ? .disturbed : nil
            return sample
          }
        }
      }
    }
  }

  static func environment(_ change: (inout EnvironmentRecord) -> Void = { _ in }) -> EnvironmentRecord {
    var record = EnvironmentRecord {
      $0.run = "r"
      $0.commandLine = ["bench", "run"]
      $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
      ($0.finishedAt, $0.seed, $0.reference) = (Date(timeIntervalSince1970: 1_700_000_060), 1, "floor")
      ($0.generations, $0.buildConfiguration, $0.toolchain) = (6, "release", "Swift 6.3.1")
      ($0.commit, $0.isDirty, $0.operatingSystem, $0.kernel) = ("0123456789abcdef", false, "Linux", "6.1")
      ($0.architecture, $0.cpuModel, $0.coreCount) = ("x86_64", "Example CPU", 2)
    }
    change(&record)
    return record
  }

  static func run(
    _ name: String, _ samples: [Sample] = samples(), environment: EnvironmentRecord = environment()
  ) -> RecordedRun { RecordedRun(name: name, environment: environment, samples: samples) }

  /// Of a run against the one whose truth is ``contenders``.
  static func comparison(_ candidate: RecordedRun) throws(RecordedProblem) -> RecordedComparison {
    try comparison(run("base"), candidate)
  }

  static func comparison(_ base: RecordedRun, _ candidate: RecordedRun) throws(RecordedProblem)
    -> RecordedComparison
  { try RecordedComparison(base: base, candidate: candidate, RecordedComparison.Terms(margin: 0.1)) }
}
