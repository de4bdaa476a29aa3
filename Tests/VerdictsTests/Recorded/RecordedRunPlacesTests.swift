import Results
import TestSupport
import Testing

@testable import Verdicts

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
