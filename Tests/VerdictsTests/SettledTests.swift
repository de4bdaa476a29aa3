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

  /// Ratios of one scenario that alternate around their mean by a share of it.
  private func cells(
    _ scenario: String = "s", _ ratios: KeyValuePairs<String, (ratio: Double, spread: Double)>,
    rounds: Int = 14,
    generations: Int = 1
  ) -> [Sample] {
    let reference = SyntheticRun.cell(
      "callbacks", scenario, factor: 1, rounds: rounds, generations: generations)
    return reference
      + ratios.flatMap { contender, truth in
        reference.changing { sample in
          sample.contender = contender
          let share = truth.ratio * (1 + (sample.round % 2 == 0 ? truth.spread : -truth.spread))
          sample.wallNanoseconds = Int(Double(sample.wallNanoseconds!) * share)
          sample.cpuUserNanoseconds = Int(Double(sample.cpuUserNanoseconds!) * share)
          sample.cpuSystemNanoseconds = Int(Double(sample.cpuSystemNanoseconds!) * share)
        }
      }
  }

  @Test func `a decided, well-known contender leaves`() {
    let samples = cells(
      "s", ["clear": (3, 0.01), "equal": (1, 0.01), "wide": (3, 0.2), "open": (1.08, 0.1)], rounds: 16)
    #expect(settled(samples) == ["clear s", "equal s", "wide s"])
  }

  @Test func `a contender that needs far more rounds comes last`() {
    let hopeless = cells("s", ["clear": (3, 0.01), "hopeless": (1, 0.3), "open": (1.08, 0.1)], rounds: 16)
    #expect(settled(hopeless) == ["clear s", "hopeless s"])
    #expect(settled(hopeless.filter { $0.contender != "open" }) == ["clear s"])
  }

  /// More rounds of the same processes would tell better how these differ, not what one takes.
  @Test func `a contender whose processes differ comes last`() {
    let samples = cells("s", ["uneven": (1.02, 0.02), "open": (1.1, 0.2)], rounds: 16, generations: 4)
      .changing {
        sample in
        if sample.contender == "uneven" {
          sample.wallNanoseconds = sample.wallNanoseconds! * [9, 11, 8, 12][sample.generation] / 10
          sample.cpuUserNanoseconds = sample.wallNanoseconds!
          sample.cpuSystemNanoseconds = 0
        }
      }
    #expect(settled(samples, generations: 3) == ["uneven s"])
  }

  @Test func `the reference leaves with the last of its scenario`() {
    let samples = cells("s", ["clear": (3, 0.01)], rounds: 16) + cells("t", ["open": (1.08, 0.1)], rounds: 16)
    #expect(settled(samples) == ["clear s", "callbacks s"])
  }

  /// What two cells take to be decided differs as their samples' lengths do.
  @Test func `the contender that is decided soonest comes first`() {
    func samples(_ times: Int) -> [Sample] {
      cells("short", ["clear": (3, 0.01), "open": (1.08, 0.1)], rounds: 16)
        + cells("long", ["open": (1.08, 0.1)], rounds: 16).changing { sample in
          sample.iterations *= times
        }
    }
    #expect(settled(samples(100)) == ["clear short", "open long", "callbacks long"])
    #expect(settled(samples(2)) == ["clear short"])
  }

  @Test func `a contender undecided in CPU time alone stays`() {
    let samples = cells("s", ["clear": (3, 0.01), "other": (2, 0.01)], rounds: 16).changing {
      sample in
      if sample.contender == "clear" {
        // As much as the reference or a fifth more, by turns.
        sample.cpuUserNanoseconds = sample.wallNanoseconds! / 3 * (sample.round % 2 == 0 ? 12 : 10) / 10
        sample.cpuSystemNanoseconds = 0
      }
      if sample.contender == "callbacks" {
        sample.cpuUserNanoseconds = sample.wallNanoseconds!
        sample.cpuSystemNanoseconds = 0
      }
    }
    #expect(settled(samples) == ["other s"])
  }

  @Test func `no contender leaves before the first look or with few processes`() {
    let (clear, open) = ((ratio: 3.0, spread: 0.01), (ratio: 1.08, spread: 0.1))
    // One round warms up, and one is disturbed.
    #expect(settled(cells("s", ["clear": clear, "open": open], rounds: 13)).isEmpty)
    #expect(!settled(cells("s", ["clear": clear, "open": open], rounds: 14)).isEmpty)
    let samples = cells("s", ["clear": clear, "open": open], generations: 2)
    #expect(!settled(samples, generations: 2).isEmpty)
    #expect(settled(samples, generations: 3).isEmpty)
  }

  /// Time that is left over goes to those who are known least, instead of being given back.
  @Test func `if all are decided, the best known leave`() {
    let samples = cells("s", ["narrow": (3, 0.005), "wider": (3, 0.03)], rounds: 16)
    #expect(settled(samples) == ["narrow s"])
  }
}
