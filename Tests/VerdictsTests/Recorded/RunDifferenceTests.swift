import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RunDifferenceTests {
  private static func environment(_ change: (inout EnvironmentRecord) -> Void) -> EnvironmentRecord {
    RecordedFixture.environment(change)
  }

  private func differences(_ environment: EnvironmentRecord) -> [RunDifference] {
    RunDifference.between(
      RecordedFixture.run("base"), RecordedFixture.run("now", environment: environment))
  }

  @Test func `samples missing from the file are a doubt`() {
    let cut = RecordedRun(
      name: "now", environment: RecordedFixture.environment(), samples: RecordedFixture.samples(),
      lostSamples: 3)
    #expect(
      RunDifference.between(RecordedFixture.run("base"), cut) == [
        RunDifference(
          "now lacks 3 samples that its summary.csv tells of: samples.csv was cut off.", isDoubt: true)
      ])
  }

  @Test func `two runs of one build on one machine do not differ`() {
    #expect(differences(Self.environment { $0.startedAt += 60 }).isEmpty)
    #expect(differences(Self.environment { $0.commit = "fedcba" }).isEmpty)
  }

  @Test(
    arguments: [
      ("Another processor: Example CPU, now Other.", environment { $0.cpuModel = "Other" }),
      ("Another number of cores: 2, now 4.", environment { $0.coreCount = 4 }),
      ("Another architecture: x86_64, now arm64.", environment { $0.architecture = "arm64" }),
      ("Another operating system: Linux, now macOS 15.", environment { $0.operatingSystem = "macOS 15" }),
      ("Another kernel: 6.1, now 6.2.", environment { $0.kernel = "6.2" }),
      ("Another toolchain: Swift 6.3.1, now Swift 6.4.", environment { $0.toolchain = "Swift 6.4" }),
      ("now does not say its toolchain.", environment { $0.toolchain = nil }),
      (
        "They dropped disturbed rounds by different rules.", environment { $0.notes["drop_rule"] = "another" }
      ),
      (
        "Only one of them kept processors awake (--awake).", environment { $0.latencyRequestMicroseconds = 0 }
      ),
    ] as [(String, EnvironmentRecord)])
  func `a changed machine or toolchain makes a gate inconclusive`(
    text: String, environment: EnvironmentRecord
  )
    throws
  {
    #expect(differences(environment) == [RunDifference(text, isDoubt: true)])
    let comparison = try RecordedFixture.comparison(RecordedFixture.run("now", environment: environment))
    let gate = CheckReport(comparison, isGate: true)
    #expect(gate.verdict == .inconclusive)
    #expect(gate.headline.hasPrefix("Inconclusive: \(text)"))
    let informing = CheckReport(comparison, isGate: false)
    #expect(informing.verdict == .passed)
    #expect(informing.notes.contains(text))
  }

  @Test(
    arguments: [
      ("now was recorded with changes that its commit lacks.", environment { $0.isDirty = true }),
      ("now was ended early.", environment { $0.finishedAt = nil }),
      ("now was ended early.", environment { $0.isInterrupted = true }),
      (
        "now was reported against b; here both are taken against the same contender.",
        environment { $0.reference = "b" }
      ),
    ] as [(String, EnvironmentRecord)])
  func `lesser differences are notes`(text: String, environment: EnvironmentRecord) {
    #expect(differences(environment) == [RunDifference(text)])
  }

  @Test(arguments: [(1, false), (2, true)])
  func `a run with too much disturbance decides nothing`(disturbed: Int, isDoubt: Bool) throws {
    // Of five rounds.
    let run = RecordedFixture.run("now", RecordedFixture.samples(seed: 2, disturbed: disturbed))
    let comparison = try RecordedFixture.comparison(run)
    #expect(comparison.differences.contains(where: \.isDoubt) == isDoubt)
    #expect((CheckReport(comparison, isGate: true).verdict == .inconclusive) == isDoubt)
  }

  @Test func `text from a file stays on its line`() {
    let found = differences(Self.environment { $0.cpuModel = "=1\n" + String(repeating: "x", count: 500) })
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.text.count < 120 && !$0.text.contains("\n") })
  }
}

@Suite(.ownThread) struct RecordedRunPlacesTests {
  private func run(_ name: String, _ machines: [String?: Double], own: String? = nil) -> RecordedRun {
    let samples = machines.sorted { ($0.key ?? "") < ($1.key ?? "") }.flatMap { machine, ratio in
      RecordedFixture.samples([.init(contender: "a", ratio: ratio)], scenarios: ["s"]).changing { sample in
        sample.machine = machine
      }
    }
    return RecordedFixture.run(name, samples, environment: RecordedFixture.environment { $0.machine = own })
  }

  private func ratios(_ base: RecordedRun, _ candidate: RecordedRun) throws -> [String: Double] {
    let comparison = try RecordedFixture.comparison(base, candidate)
    return Dictionary(
      uniqueKeysWithValues: comparison.scenarios.flatMap(\.cells).map {
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
    let comparison = try RecordedFixture.comparison(
      run("b", ["m1": 2, "m2": 4]), run("c", ["m2": 4, "m3": 6]))
    #expect(comparison.scenarios.flatMap(\.cells).map(\.key.machine) == ["m2"])
    #expect(
      NotCompared.sentences(comparison.notCompared, of: comparison.keys) == [
        "s @ m1: only in b.", "s @ m3: only in c.",
      ])
  }

  @Test func `a changed machine is named`() throws {
    func parts(_ kernel: String) -> EnvironmentRecord {
      RecordedFixture.environment { merged in
        merged.parts = ["m1", "m2"].map { machine in
          RecordedFixture.environment {
            $0.machine = machine
            $0.kernel = machine == "m2" ? kernel : "6.1"
          }
        }
        merged.kernel = nil
      }
    }
    let samples = ["m1", "m2"].flatMap { machine in
      RecordedFixture.samples([.init(contender: "a", ratio: 2)], scenarios: ["s"]).changing { sample in
        sample.machine = machine
      }
    }
    let differences = RunDifference.between(
      RecordedFixture.run("b", samples, environment: parts("6.1")),
      RecordedFixture.run("c", samples, environment: parts("6.8")))
    #expect(differences.map(\.text) == ["Another kernel (m2): 6.1, now 6.8."])
  }
}
