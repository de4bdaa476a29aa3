import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct HeadlineTests {
  @Test func `the headline counts the cells`() {
    #expect(
      SyntheticRun.analysis.headline == [
        "6 contenders, 5 scenarios.", "Undecided: time 2 and cpu 2 of 13 comparisons.",
        "Failed: operations in publish-100 (media 3: got \"receipt 4\", expected \"receipt 3\" | *…), futures in fail-100 (no answer within 10 s).",
        "9 cells not measured at all.",
      ])
  }

  @Test(
    arguments: [
      (nil, nil, []), (12_300, nil, ["To wake a thread takes 12.3 µs (p90 20.0 µs)."]),
      (
        12_300, 0,
        ["To wake a thread takes 12.3 µs (p90 20.0 µs), with processors kept awake (--awake)."]
      ),
      (nil, 0, ["Processors were kept awake (--awake)."]),
    ] as [(Double?, Int?, [String])])
  func `the report says what a hand-over took`(median: Double?, request: Int?, said: [String]) {
    let environment = EnvironmentRecord {
      $0.handOvers = median.map {
        [HandOverRecord(generation: 0, medianNanoseconds: $0, p90Nanoseconds: 20_000)]
      }
      $0.latencyRequestMicroseconds = request
    }
    #expect(ReportNotes.handOvers(environment) == said)
  }

  @Test(
    arguments: [
      (false, true, []), (true, true, ["this run was interrupted; not all that was asked for is in it"]),
      (
        nil, false,
        ["this run has no end: it was killed, or still goes on; not all that was asked for is in it"]
      ),
    ] as [(Bool?, Bool, [String])])
  func `a run that was cut off says so`(isInterrupted: Bool?, hasEnd: Bool, said: [String]) {
    let environment = EnvironmentRecord {
      $0.isInterrupted = isInterrupted
      $0.finishedAt = hasEnd ? $0.startedAt : nil
    }
    #expect(ReportNotes.warnings(ReportContext(environment: environment)) == said)
  }

  @Test func `a run of one contender compares nothing`() {
    let analysis = RunAnalysis(
      run: "r", samples: SyntheticRun.cell("futures", factor: 1),
      options: AnalysisOptions(reference: "callbacks"))
    #expect(analysis.headline == ["1 contender, 1 scenario.", "Nothing to compare with callbacks."])
  }
}
