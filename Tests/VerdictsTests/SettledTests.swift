import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct SettledTests {
  private func settled(_ samples: [Sample], generations: Int = 1) -> Set<String> {
    let keys = RunAnalysis.settled(
      samples, options: AnalysisOptions(reference: "callbacks"), generations: generations)
    return Set(keys.map { "\($0.contender) \($0.scenario)" })
  }

  /// Ratios of one scenario that vary by a share of them.
  private func cells(
    _ scenario: String = "s", _ ratios: KeyValuePairs<String, (ratio: Double, spread: Double)>,
    rounds: Int = 14,
    generations: Int = 1
  ) -> [Sample] {
    var numbers = SeededNumbers(seed: 3)
    let reference = SyntheticRun.cell(
      "callbacks", scenario, factor: 1, rounds: rounds, generations: generations)
    return reference
      + ratios.flatMap { contender, truth in
        reference.map { sample in
          var sample = sample
          sample.contender = contender
          let share = truth.ratio * (1 + truth.spread * numbers.normal())
          sample.wallNanoseconds = Int(Double(sample.wallNanoseconds!) * share)
          sample.cpuUserNanoseconds = Int(Double(sample.cpuUserNanoseconds!) * share)
          sample.cpuSystemNanoseconds = Int(Double(sample.cpuSystemNanoseconds!) * share)
          return sample
        }
      }
  }

  @Test func whoIsDecidedAndKnownWellLeaves() {
    let samples = cells("s", ["clear": (3, 0.005), "equal": (1, 0.005), "wide": (3, 0.1), "open": (1, 0.2)])
    #expect(settled(samples) == ["clear s", "equal s"])
  }

  @Test func theReferenceLeavesWithTheLastOfItsScenario() {
    let samples = cells("s", ["clear": (3, 0.005)]) + cells("t", ["open": (1, 0.2)])
    #expect(settled(samples) == ["clear s", "callbacks s"])
  }

  @Test func processorTimeMustBeDecidedToo() {
    let samples = cells("s", ["clear": (3, 0.005), "other": (2, 0.005), "open": (1, 0.2)]).map { sample in
      var sample = sample
      if sample.contender == "clear" { sample.cpuUserNanoseconds = sample.round % 2 == 0 ? 1_000 : 9_000_000 }
      return sample
    }
    #expect(settled(samples) == ["other s"])
  }

  @Test func nobodyLeavesBeforeTheFirstLookOrFromTooFewProcesses() {
    #expect(settled(cells("s", ["clear": (3, 0.005), "open": (1, 0.2)], rounds: 9)).isEmpty)
    #expect(!settled(cells("s", ["clear": (3, 0.005), "open": (1, 0.2)], rounds: 10)).isEmpty)
    let samples = cells("s", ["clear": (3, 0.005), "open": (1, 0.2)], generations: 2)
    #expect(!settled(samples, generations: 2).isEmpty)
    #expect(settled(samples, generations: 3).isEmpty)
  }

  /// Time that is left over goes to those who are known least, instead of being given back.
  @Test func whereAllAreKnownWellTheNarrowerLeave() {
    let samples = cells("s", ["narrow": (3, 0.001), "wider": (3, 0.015)])
    #expect(settled(samples) == ["narrow s"])
  }
}
