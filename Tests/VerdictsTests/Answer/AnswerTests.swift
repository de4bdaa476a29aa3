import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct AnswerTests {
  /// Four scenarios of three classes, told by their names; who is slower by what factor, and who has too few rounds.
  static func analysis(
    _ factors: KeyValuePairs<String, Double>, rounds: Int = 40, failing: String? = nil,
    in failure: String = "publish-latency-100", undecided: Set<String> = [], undecidedIn: String? = nil
  ) -> RunAnalysis {
    let scenarios: [(name: String, uploads: Int, slowness: (Double) -> Double)] = [
      ("publish-instant-10", 10, { $0 }), ("publish-instant-1000", 1_000, { $0 }),
      ("publish-latency-100", 100, { 60 + $0 / 2 }), ("blocking-64", 64, { 80 * $0.squareRoot() }),
    ]
    let samples = scenarios.flatMap { scenario in
      factors.flatMap { contender, factor in
        let fails = contender == failing && scenario.name == failure
        return SyntheticRun.blocked(
          SyntheticRun.cell(
            contender, scenario.name, factor: scenario.slowness(factor),
            rounds: undecided.contains(contender) && scenario.name == undecidedIn ?? scenario.name
              ? 3 : rounds,
            fanOut: scenario.uploads, outcome: fails ? .timedOut : .measured,
            reason: fails ? "no answer" : nil), threads: contender == "callbacks" ? 66 : 8,
          heartbeatWorstNanoseconds: nil)
      }
    }
    return RunAnalysis(
      run: "r", samples: samples,
      options: AnalysisOptions(reference: "callbacks") {
        $0.classes = [
          "publish-instant-10": .nothingWaits, "publish-instant-1000": .nothingWaits,
          "publish-latency-100": .uploadsWait, "blocking-64": .blocking,
        ]
      })
  }

  static let idioms = [
    "callbacks": IdiomRecord(name: "by hand", shipsWith: "toolchain"),
    "gcd-groups": IdiomRecord(name: "DispatchGroup", shipsWith: "toolchain"),
    "operations": IdiomRecord(name: "OperationQueue", shipsWith: "toolchain"),
    "futures": IdiomRecord(name: "promises", shipsWith: "this package"),
    "coroutines": IdiomRecord(name: "coroutines", shipsWith: "this package"),
    "streams": IdiomRecord(name: "publishers", shipsWith: "this package"),
    "rx-swift": IdiomRecord(name: "RxSwift", shipsWith: "third party"),
  ]

  static let many: KeyValuePairs = [
    "operations": 12.0, "callbacks": 1, "gcd-groups": 4, "futures": 1.5, "coroutines": 1.7, "streams": 1.3,
    "rx-swift": 2,
  ]

  private static func screen(_ analysis: RunAnalysis, warnings: [String] = []) -> String {
    let context = ReportContext(
      environment: EnvironmentRecord {
        $0.finishedAt = $0.startedAt
        $0.warnings = warnings
        $0.idioms = idioms
        $0.handOvers = [HandOverRecord(generation: 0, medianNanoseconds: 12_300, p90Nanoseconds: 20_000)]
      }, nextSteps: ["bench report results/r --details"], numbers: "results/r/summary.csv")
    return analysis.screen(context).text()
  }

  @Test func `the screen is the golden file`() throws {
    let screen = Self.screen(Self.analysis(Self.many, failing: "gcd-groups"))
    try Golden.expect(screen, equals: "answer.txt")
    let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 45 && lines.allSatisfy { $0.count <= 80 && $0.last != " " })
  }

  @Test func `the baseline is not undecided against itself`() throws {
    let text = Self.screen(Self.analysis(Self.many, failing: "callbacks", in: "publish-instant-10"))
    let row = try #require(text.split(separator: "\n").last { $0.hasPrefix("  callbacks* ") })
    #expect(!row.contains("~") && row.contains("1.00     1.00"), "\(text)")
  }

  @Test func `a contender hardly slower than the fastest shares the lead`() throws {
    let answer = try #require(Answer(Self.analysis(["callbacks": 1, "futures": 1.03, "operations": 5])))
    #expect(
      answer.sentences.contains {
        $0.hasPrefix("Where nothing waits (tiny tasks), callbacks and futures share the lead. ")
      })
  }

  /// Else all would lead, and yet some be undecided.
  @Test func `a contender undecided in the example does not share the lead`() throws {
    let near: KeyValuePairs = ["callbacks": 1.0, "futures": 1.01, "streams": 1.02, "operations": 5]
    let analysis = Self.analysis(near, undecided: ["futures"], undecidedIn: "publish-instant-1000")
    let headline = try #require(Answer(analysis)?.sentences.first { $0.hasPrefix("Where nothing waits") })
    #expect(headline.contains("callbacks and streams share the lead of those decided. "), "\(headline)")
    #expect(headline.contains("futures undecided"), "\(headline)")
  }

  /// What is equal is told as a bound, which no scenario of a row exceeds.
  @Test func `no row contradicts a bound`() throws {
    let answer = try #require(Answer(Self.analysis(Self.many)))
    let index = try #require(answer.columns.firstIndex { $0.workClass == .uploadsWait })
    let sentence = try #require(answer.sentences.first { $0.hasPrefix("Where uploads wait") })
    let share = try #require(sentence.firstMatch(of: /more than (\d+) % longer/).flatMap { Double($0.1) })
    for row in answer.rows {
      let most = try #require(row.costs[index].time.most)
      #expect(most.ratio <= 1 + share / 100)
    }
  }

  @Test func `an undecided contender is named and not ranked`() throws {
    let analysis = Self.analysis(Self.many, rounds: 3)
    let answer = try #require(Answer(analysis))
    #expect(answer.rows.dropFirst().allSatisfy { $0.costs.allSatisfy { $0.time.ratio == nil } })
    #expect(answer.sentences.allSatisfy { $0.hasSuffix("time is not decided.") })
    let text = Self.screen(analysis)
    #expect(text.contains("Undecided: time 24 and cpu 24 of 24 comparisons"))
    #expect(text.contains("    ?"))
  }

  /// Nobody is left out of a sentence without a word.
  @Test(arguments: [
    (["futures"], "others 4.00 ms (gcd-groups) to 12.1 ms (operations); futures undecided, 1.51 ms."),
    (["futures", "gcd-groups"], "operations 12.1 ms; futures and gcd-groups undecided, 1.51 to 4.01 ms."),
  ])
  func `undecided contenders are named`(undecided: [String], end: String) throws {
    let factors: KeyValuePairs = ["callbacks": 1.0, "futures": 1.5, "gcd-groups": 4, "operations": 12]
    let answer = try #require(Answer(Self.analysis(factors, undecided: Set(undecided))))
    #expect(answer.sentences.contains { $0.hasSuffix(end) }, "\(answer.sentences)")
  }

  /// What nobody exceeds is where the intervals end, not where the estimates lie.
  @Test func `a bound is the highest end of the intervals`() {
    let mean = Answer.Mean([("a", 1.06, 1.07, .slower), ("b", 1.02, 1.09, .unresolved), ("c", nil, nil, nil)])
    #expect((mean.most?.scenario, mean.bound) == ("a", 1.09))
    #expect(Answer.Mean([("a", 1.06, nil, .slower)]).bound == 1.06)
  }

  @Test func `a contender that fails does not hide`() throws {
    let analysis = Self.analysis(Self.many, failing: "gcd-groups")
    let answer = try #require(Answer(analysis))
    let row = try #require(answer.rows.first { $0.contender == "gcd-groups" })
    #expect(row.costs.map(\.failed) == [1, 0, 0])
    #expect(row.costs[0].time.ratio == nil)
    #expect(Self.screen(analysis).contains("Failed: gcd-groups in publish-latency-100 (no answer)."))
  }

  @Test func `a single scenario has its table`() {
    let samples = SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 2)
    let analysis = RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks"))
    #expect(Answer(analysis) == nil)
    #expect(analysis.screen().text() == analysis.document().text())
  }

  @Test(
    arguments: [
      ("instant", nil, .nothingWaits), ("instant", 8, .limited), ("latency", 8, .uploadsWait),
      ("http", nil, .uploadsWait), ("blocking", nil, .blocking), ("runtime", nil, nil),
    ] as [(String, Int?, ScenarioClass?)])
  func `the class of an old record is inferred`(service: String, limit: Int?, workClass: ScenarioClass?) {
    let sample = Sample {
      $0.service = service
      $0.inFlightLimit = limit
    }
    #expect(ScenarioClass.inferred(from: sample) == workClass)
  }
}
