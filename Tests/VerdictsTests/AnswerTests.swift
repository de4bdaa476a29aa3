import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct AnswerTests {
  /// Four scenarios of three classes, told by their names; who is slower by what factor, and who has too few rounds.
  static func analysis(
    _ factors: KeyValuePairs<String, Double>, rounds: Int = 40, failing: String? = nil,
    in failure: String = "publish-latency-100", undecided: Set<String> = []
  ) -> RunAnalysis {
    judged(samples(factors, rounds: rounds, failing: failing, in: failure, undecided: undecided))
  }

  static func samples(
    _ factors: KeyValuePairs<String, Double>, rounds: Int = 40, failing: String? = nil,
    in failure: String = "publish-latency-100", undecided: Set<String> = []
  ) -> [Sample] {
    let scenarios: [(name: String, uploads: Int, slowness: (Double) -> Double)] = [
      ("publish-instant-10", 10, { $0 }), ("publish-instant-1000", 1_000, { $0 }),
      ("publish-latency-100", 100, { 60 + $0 / 2 }), ("blocking-64", 64, { 80 * $0.squareRoot() }),
    ]
    return scenarios.flatMap { scenario in
      factors.flatMap { contender, factor in
        let fails = contender == failing && scenario.name == failure
        return SyntheticRun.blocked(
          SyntheticRun.cell(
            contender, scenario.name, factor: scenario.slowness(factor),
            rounds: undecided.contains(contender) ? 3 : rounds, fanOut: scenario.uploads,
            outcome: fails ? .timedOut : .measured, reason: fails ? "no answer" : nil),
          threads: contender == "callbacks" ? 66 : 8, heartbeatWorstNanoseconds: nil)
      }
    }
  }

  static func judged(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(
      run: "r", samples: samples,
      options: AnalysisOptions(reference: "callbacks") {
        $0.idioms = idioms
        $0.classes = [
          "publish-instant-10": .nothingWaits, "publish-instant-1000": .nothingWaits,
          "publish-latency-100": .uploadsWait, "blocking-64": .blocking,
        ]
      })
  }

  static let idioms = [
    "callbacks": IdiomRecord(name: "by hand", shipsWith: "toolchain"),
    "gcd-groups": IdiomRecord(name: "DispatchGroup", shipsWith: "toolchain"),
    "swift-concurrency": IdiomRecord(name: "async/await", shipsWith: "toolchain"),
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

  static let context = ReportContext(
    environment: EnvironmentRecord {
      $0.finishedAt = $0.startedAt
      $0.idioms = idioms
    }, nextSteps: ["bench report results/r --details"], numbers: "results/r/summary.csv")

  private static func screen(_ analysis: RunAnalysis) -> String { analysis.screen(context).text() }

  /// Without the ends of its lines.
  private static func flat(_ text: String) -> String { text.replacing(/\s+/, with: " ") }

  @Test func `the screen is the golden file`() throws {
    let screen = Self.screen(Self.analysis(Self.many, failing: "gcd-groups"))
    try Golden.expect(screen, equals: "answer.txt")
    let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 30 && lines.allSatisfy { $0.count <= 80 && $0.last != " " })
  }

  @Test(arguments: [40, 60, 80, 200]) func `no line of the screen is longer than the terminal is wide`(
    width: Int
  ) {
    for analysis in [Self.analysis(Self.many)] + Self.invented.map(\.analysis) {
      let text = analysis.screen(Self.context).text(usesColour: false, width: width)
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
    }
  }

  @Test func `colours change no letter of the screen`() {
    let screen = Self.analysis(Self.many).screen(Self.context)
    let coloured = screen.text(usesColour: true)
    #expect(coloured.contains("\u{1B}[48;5;"))
    #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == screen.text())
  }

  static let invented: [(name: String, analysis: RunAnalysis, headline: String)] = [
    ("one way waits", analysis(["callbacks": 1, "gcd-groups": 4]), "When uploads wait, no way"),
    ("all equal", analysis(["callbacks": 1, "gcd-groups": 1, "operations": 1]), "When uploads wait, no way"),
    ("nearly equal", analysis(["callbacks": 1, "gcd-groups": 1.02]), "When uploads wait, no way"),
    ("one contender", analysis(["callbacks": 1]), "One contender was measured"),
    ("another contender alone", analysis(["futures": 1]), "One contender was measured"),
    ("nothing decided", analysis(many, rounds: 3), "Nothing is decided yet"),
    ("two rounds", analysis(["callbacks": 1, "gcd-groups": 2], rounds: 2), "Nothing is decided yet"),
    ("one failed", analysis(many, failing: "gcd-groups"), "When uploads wait, no way"),
    ("the reference failed", analysis(many, failing: "callbacks"), "When uploads wait, no way"),
    ("half failed", analysis(many, failing: "operations", in: "blocking-64"), "When uploads wait, no way"),
    ("two libraries", analysis(["futures": 1, "streams": 3]), "Nothing is decided yet"),
    (
      "a library and the reference", analysis(["callbacks": 1, "futures": 900]),
      "When uploads wait, futures takes"
    ),
    ("a slow one", analysis(["callbacks": 1, "gcd-groups": 900]), "When uploads wait, "),
    ("a huge one", analysis(["callbacks": 1, "gcd-groups": 1, "operations": 1e7]), "When uploads wait, "),
    ("a faster one", analysis(["callbacks": 900, "gcd-groups": 1]), "When uploads wait, callbacks takes"),
    (
      "a long name", analysis(["callbacks": 1, String(repeating: "x", count: 60): 900]), "When uploads wait, "
    ),
    ("variants", analysis(["callbacks": 1, "callbacks/threads": 3]), ""),
    ("an undecided one", analysis(many, undecided: ["futures"]), "When uploads wait, no way"),
    (
      "the asked one undecided",
      analysis(
        ["callbacks": 1, "gcd-groups": 4, "swift-concurrency": 5, "operations": 12],
        undecided: ["swift-concurrency"]), "When uploads wait, "
    ),
    ("no sample", analysis([:]), "Nothing was measured"),
    (
      "one scenario",
      RunAnalysis(
        run: "r",
        samples: SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 2),
        options: AnalysisOptions(reference: "callbacks")), "Where nothing waits, futures takes 2.0×"
    ),
    (
      "a failed run",
      RunAnalysis(
        run: "r", samples: SyntheticRun.cell("callbacks", factor: 1, outcome: .failed, reason: "no"),
        options: AnalysisOptions(reference: "callbacks")), "Nothing was measured"
    ),
  ]

  @Test(arguments: invented.indices) func `a headline is short and true for any run`(index: Int) throws {
    let (name, analysis, headline) = Self.invented[index]
    let answer = Answer(analysis, Self.context.environment)
    #expect(answer.headline.hasPrefix(headline), "\(name): \(answer.headline)")
    #expect(answer.headline.split(separator: " ").count <= 12, "\(answer.headline)")
    #expect(answer.line.split(separator: " ").count <= 25, "\(answer.line)")
    #expect(answer.headline.last != "." && (answer.line.isEmpty || answer.line.last == "."))
    // What is said to be a multiple is that of some cell in the first class.
    for said in answer.headline.matches(of: /takes ([0-9.]+)×/) {
      let ratios = answer.rows.flatMap { row in
        row.costs.flatMap { $0.time.values }.filter { $0.finding == .more }.map {
          NumberText.multiple($0.ratio)
        }
      }
      #expect(ratios.contains(String(said.1)))
    }
    #expect(try answer.json().utf8.count > 0)
    for pick in answer.picks {
      #expect((1...3).contains(pick.facts.count) && !pick.why.isEmpty && !pick.wrong.isEmpty)
    }
  }

  @Test func `times that wait the same and processor time that differs are told apart`() {
    let samples = Self.samples([
      "callbacks": 1.0, "gcd-groups": 1, "swift-concurrency": 1.01, "operations": 1,
    ]).changing {
      if $0.contender == "swift-concurrency" { $0.cpuUserNanoseconds = $0.cpuUserNanoseconds.map { $0 * 2 } }
    }
    let answer = Answer(Self.judged(samples), Self.context.environment)
    #expect(answer.headline == "When uploads wait, your concurrency style costs CPU, hardly time")
    #expect(answer.usual == "gcd-groups" && answer.line.contains("DispatchGroup"))
    let start = "100 uploads that wait: async/await 6.05 ms, DispatchGroup 6.05 ms, CPU 48.3 µs more"
    #expect(answer.line.hasPrefix(start), "\(answer.line)")
  }

  @Test func `each ratio is the inverse of the other way round`() throws {
    let answer = Answer(Self.analysis(Self.many), Self.context.environment)
    #expect(Set(answer.references) == ["callbacks", "gcd-groups", "operations"])
    for (one, other) in [("callbacks", "gcd-groups"), ("gcd-groups", "operations")] {
      let rows = try [one, other].map { name in try #require(answer.rows.first { $0.contender == name }) }
      for (here, there) in zip(rows[0].costs, rows[1].costs) {
        let (ratio, inverse) = try (#require(here.time[other]), #require(there.time[one]))
        #expect(abs(ratio.ratio * inverse.ratio - 1) < 1e-9)
        #expect(ratio.inverse.finding == inverse.finding)
      }
    }
  }

  @Test func `an undecided contender has no number on the screen`() throws {
    let analysis = Self.analysis(Self.many, rounds: 3)
    let answer = Answer(analysis, Self.context.environment)
    #expect(
      answer.rows.allSatisfy { $0.costs.allSatisfy { $0.time.values.allSatisfy { $0.finding == .open } } })
    let text = Self.screen(analysis)
    #expect(Self.flat(text).contains("Undecided: time 24 and cpu 24 of 24 comparisons"))
    #expect(text.contains("?/?"))
  }

  @Test func `libraries of another run stand in a group of their own, and are marked`() throws {
    let scratch = Scratch()
    let shared: KeyValuePairs = [
      "callbacks": 1.0, "gcd-groups": 4, "swift-concurrency": 6, "operations": 12, "rx-swift": 24,
    ]
    let other = Answer(Self.analysis(shared), Self.context.environment)
    try FileManager.default.createDirectory(
      atPath: scratch.path("r-rivals"), withIntermediateDirectories: true)
    try scratch.write(try other.json(), to: "r-rivals/answer.json")
    #expect(OtherRun.all(beside: scratch.path("other")).isEmpty)
    var context = Self.context
    context.others = OtherRun.all(beside: scratch.path("r"))
    let analysis = Self.analysis([
      "callbacks": 1.0, "gcd-groups": 4, "swift-concurrency": 5, "operations": 12, "streams": 1.3,
    ])
    let answer = analysis.answer(context)
    #expect(answer.rows.map(\.run) == [nil, nil, nil, nil, "r-rivals", "r-rivals", nil])
    #expect(answer.rows[4...5].map(\.title) == ["async/await", "RxSwift"])
    #expect(answer.rows[4].idiom?.name == "in that run's jobs")
    let mine = answer.rows[5]
    let theirs = try #require(other.rows.first { $0.contender == "rx-swift" })
    #expect(mine.costs.map { $0.time.keys.sorted() } == theirs.costs.map { $0.time.keys.sorted() })
    #expect(answer.headline == Answer(analysis, Self.context.environment).headline)
    let screen = analysis.screen(context).text()
    #expect(
      screen.contains(
        "libraries that people use: another run, 4 of the 4 jobs: compare within it\n  async/await "))
    #expect(screen.contains("libraries of this package: tuned") && screen.contains("\n  vs OperationQueue "))
    #expect(try answer.json().contains("\"run\" : \"r-rivals\""))
    // What the run itself has measured is not taken from another.
    let own = Self.analysis(Self.many).answer(context)
    #expect(own.rows.allSatisfy { $0.run == nil } && own.otherRuns.isEmpty)
  }

  @Test func `cards say what the wrong choice costs, in time or CPU`() throws {
    let answer = Answer(Self.analysis(Self.many), Self.context.environment)
    let pick = try #require(answer.picks.first { $0.workClass == .nothingWaits })
    #expect(pick.take == "Callbacks" && pick.facts.map(\.number).first == "0.25×")
    #expect(
      pick.wrong.hasPrefix("Wrong here: OperationQueue takes 12× the time of callbacks"), "\(pick.wrong)")
    #expect(pick.why == "Why: the least time of what comes with Swift.")
    let waiting = try #require(answer.picks.first { $0.workClass == .uploadsWait })
    #expect(waiting.wrong.contains("o choice is proved to take over 10 % more time"), "\(waiting.wrong)")
  }

  @Test func `a card says from how many uploads on its mean does not hold`() throws {
    let samples = [(1, 3.0), (10, 3), (100, 1), (1_000, 1)].flatMap { uploads, factor in
      ["callbacks": 1, "gcd-groups": factor].flatMap { contender, factor in
        SyntheticRun.cell(
          contender, "publish-instant-\(uploads)", factor: factor, rounds: 40, fanOut: uploads)
      }
    }
    let pick = try #require(Answer(Self.judged(samples), Self.context.environment).picks.first)
    #expect(pick.take == "Callbacks")
    #expect(pick.facts[0].text.hasSuffix(", mean of 4 jobs; from 100 at once the same"), "\(pick.facts)")
  }

  @Test func `a card names all choices that are about as bad`() throws {
    let factors: KeyValuePairs = ["callbacks": 1.0, "gcd-groups": 4, "operations": 4]
    let answer = Answer(Self.analysis(factors), Self.context.environment)
    let pick = try #require(answer.picks.first { $0.workClass == .blocking })
    let bad = /Wrong here: DispatchGroup takes 2.0× the time of callbacks.* and OperationQueue 2.0×/
    #expect(pick.wrong.prefixMatch(of: bad) != nil, "\(pick.wrong)")
  }

  @Test func `a contender that fails does not hide`() throws {
    let analysis = Self.analysis(Self.many, failing: "futures")
    let answer = Answer(analysis, Self.context.environment)
    let row = try #require(answer.rows.first { $0.contender == "futures" })
    #expect(row.costs.map(\.failed) == [1, 0, 0])
    #expect(row.costs[0].time.isEmpty)
    let screen = Self.screen(analysis)
    #expect(Self.flat(screen).contains("Failed: futures in publish-latency-100 (no answer)."))
    let line = try #require(screen.split(separator: "\n").first { $0.hasPrefix("  Futures ") })
    #expect(line.contains(" fail "))
  }

  @Test func `a single scenario has its table`() {
    let samples = SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 2)
    let analysis = RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks"))
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
    let answer = Answer(Self.analysis(withPlain: true))
    #expect(answer.columns.map(\.names.count) == [2])
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
