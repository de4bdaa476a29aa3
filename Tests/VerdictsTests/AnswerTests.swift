import Foundation
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
              ? 3 : rounds, fanOut: scenario.uploads, outcome: fails ? .timedOut : .measured,
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

@Suite(.ownThread) struct ContextOverviewTests {
  /// One scenario in two contexts, and one in none; `gcd-groups` cannot do one of them.
  private static func analysis(withPlain: Bool) -> RunAnalysis {
    func cell(_ contender: String, _ scenario: String, _ factor: Double) -> [Sample] {
      SyntheticRun.cell(contender, scenario, factor: factor, rounds: 40)
    }
    let inContexts = [
      cell("callbacks", "publish-100-on-inline", 1), cell("futures", "publish-100-on-inline", 2),
      cell("callbacks", "publish-100-on-queue", 4), cell("futures", "publish-100-on-queue", 6),
      cell("gcd-groups", "publish-100-on-queue", 5),
    ].flatMap(\.self)
    let plain =
      ["publish-100", "publish-1000"].flatMap { cell("callbacks", $0, 1) + cell("gcd-groups", $0, 5) }
    var options = AnalysisOptions(reference: "callbacks") {
      $0.contexts = ["publish-100-on-inline": "inline", "publish-100-on-queue": "queue"]
    }
    options.idioms = AnswerTests.idioms
    return RunAnalysis(run: "r", samples: inContexts + (withPlain ? plain : []), options: options)
  }

  @Test func `each context is compared with callbacks there`() throws {
    let text = Self.analysis(withPlain: false).screen().text()
    try Golden.expect(text, equals: "contexts.txt")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `the answer leaves out what has a context`() throws {
    let answer = try #require(Answer(Self.analysis(withPlain: true)))
    #expect(answer.columns.map(\.scenarios) == [2])
    #expect(answer.rows.map(\.contender) == ["callbacks", "gcd-groups"])
  }
}

@Suite(.ownThread) struct `Printed times, ratios and pairs` {
  /// Three contenders that come with Swift, one of a library and one variant, each with rounds of its own: as where cells leave early.
  private static func analysis(seed: UInt64) -> RunAnalysis {
    var generator = SeededNumbers(seed: seed)
    let names = ["callbacks", "gcd-groups", "swift-concurrency", "futures", "callbacks/threads"]
    var samples: [Sample] = []
    for generation in 0..<6 {
      // Processes differ, and what a cell has left it has no part in.
      let level = 1 + 4 * generator.uniform()
      for name in names {
        let leaves = generator.uniform() < 0.4 && generation > 2 && name != "callbacks"
        for round in 0..<(leaves ? 2 : 12) {
          let factor = 1 + Double(names.firstIndex(of: name)!)
          samples.append(
            Sample {
              $0.run = "r"
              ($0.generation, $0.round, $0.position) = (generation, round, 0)
              ($0.contender, $0.scenario) = (name, "publish-instant-100")
              ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", 100, 1)
              ($0.iterations, $0.outcome) = (10, .measured)
              $0.wallNanoseconds = Int(1e5 * level * factor * (0.5 + generator.uniform()))
              $0.cpuUserNanoseconds = Int(1e5 * level * factor * (0.5 + generator.uniform()))
              $0.cpuSystemNanoseconds = 0
            })
        }
      }
    }
    return RunAnalysis(
      run: "r", samples: samples,
      options: AnalysisOptions(reference: "callbacks") { options in
        for name in names {
          options.idioms[name] = IdiomRecord(
            name: name, shipsWith: name == "futures" ? "this package" : "toolchain")
        }
      })
  }

  @Test(arguments: 1...20) func `the quotient of two printed times is their printed ratio`(seed: UInt64)
    throws
  {
    let cells = Self.analysis(seed: seed).summaries
    let reference = try #require(cells.first { $0.contender == "callbacks" })
    for cell in cells where cell.contender != "callbacks" {
      let ratio = try #require(cell.ratio)
      let quotient = try #require(cell.medianNanoseconds) / #require(reference.medianNanoseconds)
      #expect(abs(quotient / ratio - 1) < 1e-9)
      let cpuQuotient =
        try #require(cell.cpuNanosecondsPerUpload) / #require(reference.cpuNanosecondsPerUpload)
      #expect(try abs(cpuQuotient / #require(cell.cpuRatio) - 1) < 1e-9)
      let overhead = try #require(cell.nanosecondsPerUpload) - #require(reference.nanosecondsPerUpload)
      #expect(try abs(overhead - #require(cell.overheadNanosecondsPerUpload)) < 1e-6)
    }
  }

  @Test(arguments: 1...5) func `pairs are those that come with Swift, each both ways round`(seed: UInt64)
    throws
  {
    let analysis = Self.analysis(seed: seed)
    let pairs = analysis.pairs
    let names = ["callbacks", "gcd-groups", "swift-concurrency"]
    #expect(Set(pairs.map { "\($0.contender) \($0.reference)" }).count == 6)
    #expect(pairs.allSatisfy { names.contains($0.contender) && names.contains($0.reference) })
    for pair in pairs {
      let other = try #require(
        pairs.first { $0.contender == pair.reference && $0.reference == pair.contender })
      #expect(try abs(#require(pair.ratio) * #require(other.ratio) - 1) < 1e-9)
      #expect(other.rounds == pair.rounds)
    }
    // To the reference it is the ratio of the summary.
    for summary in analysis.summaries where names.dropFirst().contains(summary.contender) {
      let pair = try #require(
        pairs.first { $0.contender == summary.contender && $0.reference == "callbacks" })
      #expect(pair.ratio == summary.ratio && pair.ratioLow == summary.ratioLow)
      #expect(pair.cpuRatio == summary.cpuRatio && pair.cpuRatioHigh == summary.cpuRatioHigh)
    }
  }
}
