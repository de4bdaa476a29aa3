import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

/// What all reports share, as text and as Markdown.
@Suite(.ownThread) struct ReportTests {
  typealias Report = (name: String, document: @Sendable () throws -> Document)

  static let reports: [Report] = [
    ("report", { SyntheticRun.analysis.document(SyntheticRun.context) }),
    ("load", { SyntheticLoad.analysis.document(SyntheticRun.context) }),
    ("load-limit", { SyntheticLoad.search.document(SyntheticRun.context) }),
    ("growth", { GrowthReportTests.analysis.document() }),
    ("comparison", { CheckReport(try ComparisonTextReportTests.comparison(), isGate: false).document }),
    ("doctor", { DoctorReport(FindingsTests.everything).document }),
    ("baseline", { ExternalBaselineTests.analysis(ExternalBaselineTests.samples).document() }),
  ]

  @Test(arguments: [
    ("report.txt", 0), ("report.md", 0), ("load.txt", 1), ("load-limit.txt", 2), ("growth.txt", 3),
    ("comparison.txt", 4), ("comparison.md", 4),
  ])
  func `a report is its golden file`(name: String, report: Int) throws {
    let document = try Self.reports[report].document()
    let text = name.hasSuffix(".md") ? document.markdown : document.text()
    let start = name == "growth.txt" ? try #require(text.range(of: "growth of")).lowerBound : text.startIndex
    try Golden.expect(String(text[start...]), equals: name)
  }

  @Test(arguments: reports, [40, 47, 60, 79, 80])
  func `a narrow terminal loses nothing and breaks no line`(report: Report, width: Int) throws {
    let document = try report.document()
    let lines = document.text(width: width).split(separator: "\n")
    // Commands are never wrapped, and fit 80 columns.
    let commands = width < 80 ? SyntheticRun.context.nextSteps.map { "  " + $0 } : []
    for line in lines where !commands.contains(String(line)) {
      #expect(line.count <= width && line.last != " ", "\(line)")
    }
    func words(_ text: String) -> [String: Int] {
      let bars: Set<Character> = ["█", "▒", "░"]
      let words = text.split(whereSeparator: \.isWhitespace).filter {
        $0.contains(where: \.isNumber) && !$0.contains(where: bars.contains)
      }
      return words.reduce(into: [:]) { $0[String($1), default: 0] += 1 }
    }
    let narrow = words(document.text(width: width))
    for (word, count) in words(document.text()) where word.count < width - 12 {
      #expect(narrow[word, default: 0] >= count, "\(word)")
    }
  }

  @Test(arguments: [0, 2, 5]) func `colour changes nothing but colour`(report: Int) throws {
    let document = try Self.reports[report].document()
    let coloured = document.text(usesColour: true)
    #expect(coloured.contains("\u{1B}[") && !document.text().contains("\u{1B}"))
    #expect(coloured.replacing(/\u{1B}\[[0-9;]+m/, with: "") == document.text())
  }

  @Test(
    arguments: [
      (false, true, []), (true, true, ["this run was interrupted, so it is incomplete"]),
      (
        nil, false,
        ["this run has no end time: it was killed or is still running, so it is incomplete"]
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
    let analysis = SyntheticRun.analysed(SyntheticRun.cell("futures", factor: 1))
    #expect(analysis.headline == ["1 contender, 1 scenario.", "Nothing to compare with callbacks."])
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("`x`", "\\`x\\`"), ("a\nb", "a b"),
    ("*_[]&", "\\*\\_\\[\\]&amp;"),
  ])
  func `recorded text cannot leave its cell`(text: String, expected: String) {
    #expect(Markdown.escaped(text) == expected)
  }

  @Test(arguments: [[1, 2, 4, 8], [10, 100, 1_000]])
  func `a suite's screen says how time grows with four sizes`(sizes: [Int]) throws {
    let samples = sizes.flatMap { size in
      SyntheticRun.cell(
        "suite", "sort-\(size)", factor: Double(size), rounds: 6, generations: 4, fanOut: size
      ).changing { $0.service = NoService.benchmark }
    }
    let analysis = RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "suite"))
    let notes = analysis.suiteTable.notes.filter { $0.hasPrefix("sort-N grows with N^2.0") }
    #expect(notes.count == (sizes.count > 3 ? 1 : 0))
    #expect(notes.allSatisfy { $0.hasSuffix("N from 1 to 8: superlinear") })
    #expect(analysis.growth.records.allSatisfy { $0.exponentFromFanOut == sizes[0] })
  }

  @Test func `all times of a suite's row are per unit`() throws {
    var samples = SyntheticRun.cell("suite", factor: 1, rounds: 30, generations: 6, fanOut: 200)
    for index in samples.indices { samples[index].service = "benchmark" }
    let analysis = SyntheticRun.analysed(samples, reference: "suite")
    let table = analysis.suiteTable
    let cells = try ["time", "p90", "cold"].map { title in
      table.rows[0].cells[try #require(table.columns.firstIndex { $0.title == title })].time?.nanoseconds
    }
    let factors = try cells.map { try #require($0) / 1_000 }
    // A round is up to 30 % slower or faster than a unit's microsecond, and a first one takes half more.
    #expect(factors.allSatisfy { (0.6...2).contains($0) } && factors[0] < factors[1])
  }

  @Test func `a name too long for its column is not cut short`() {
    let names = ["swift-concurrency/unsafe-continuation", "swift-concurrency/unsafe-pointers"]
    let samples = names.flatMap { SyntheticRun.cell($0, factor: 1) }
    let text = SyntheticRun.analysed(samples, reference: names[0]).document().text()
    let lines = text.split(separator: "\n")
    for name in names { #expect(lines.contains("  \(name)")) }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `a quantity that was not recorded has no column`() {
    // As in a file of an earlier version.
    let samples = SyntheticRun.samples.changing { sample in
      sample.failureToStopNanoseconds = nil
      sample.heartbeatWorstNanoseconds = nil
    }
    let analysis = SyntheticRun.analysed(samples)
    let text = Document(analysis.summary.tables).text()
    for word in ["reported", "wasted", "heartbeat", "threads"] { #expect(!text.contains(word)) }
  }
}

enum Golden {
  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = try GoldenFile(name, for: text, beside: #filePath)
    #expect(text == file.expected, "\(file.difference)", sourceLocation: sourceLocation)
  }
}

@Suite(.ownThread) struct JSONReportTests {
  private func object(_ json: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  @Test func `a run's report has its totals, its machine and its cells`() throws {
    let run = SyntheticRun.analysis
    let report = try object(try run.json(SyntheticRun.context))
    #expect(report["headline"] as? String == run.headline.joined(separator: " "))
    #expect(report["samples"] as? Int == run.sampleCount)
    #expect(report["dropped"] as? [String: Int] == ["warm_up": 21, "disturbed": 17])
    #expect((report["missing"] as? [Any])?.count == run.missing.count)
    #expect((report["environment"] as? [String: Any])?["commit"] as? String == "0123456789abcdef")
    let scenarios = try #require(report["scenarios"] as? [[String: Any]])
    #expect(scenarios.compactMap { $0["name"] as? String } == run.scenarios.map(\.name))
    let cells = try scenarios.flatMap { try #require($0["cells"] as? [[String: Any]]) }
    #expect(cells.count == run.summaries.count)
    for (cell, summary) in zip(cells, run.summaries) {
      let (written, exact) = (cell["median_ns"] as? Double ?? 0, summary.medianNanoseconds ?? 0)
      #expect(abs(written - exact) <= 1e-8 * exact)
    }
    // Unknown values are null, not absent.
    for cell in cells {
      for column in CellSummary.columns { #expect(cell[column.name] != nil, "\(column.name)") }
    }
  }

  @Test func `a load report has its rule, its rates and its limits`() throws {
    let load = SyntheticLoad.search
    let report = try object(try load.json(SyntheticRun.context))
    #expect(report["rule"] as? String == load.rule.description)
    #expect(report["windows"] as? Int == SyntheticLoad.windows.count)
    let rates = try #require(report["rates"] as? [[String: Any]])
    #expect(rates.map { $0["contender"] as? String } == load.summaries.map(\.subject.contender))
    #expect(rates.map { $0["p99_ns"] as? Int } == load.summaries.map(\.figures.p99Nanoseconds))
    let limits = try #require(report["limits"] as? [[String: Any]])
    #expect(limits.map { $0["held_per_s"] as? Double } == [1_000, nil])
  }
}

/// A run directory may come from anywhere: reports show its text and never obey it.
@Suite(.ownThread) struct HostileRecordTests {
  private static let hostile =
    "\u{1B}[2J\u{7}\u{9B}31m\r\nbench: all is well\u{202E}<script>alert(1)</script>"

  private static let context: ReportContext = {
    var environment = SyntheticRun.context.environment!
    environment.commandLine += [hostile]
    environment.warnings += [hostile]
    environment.notes["drop_rule"] = hostile
    environment.toolchain = hostile
    environment.commit = "\u{1B}c" + hostile
    environment.operatingSystem = hostile
    environment.cpuModel = hostile
    environment.parts = ["a", "b"].map { name in
      var part = environment
      part.machine = name + hostile
      part.kernel = hostile
      return part
    }
    return ReportContext(environment: environment)
  }()

  @Test(arguments: [
    SyntheticRun.analysis.document(context).text(),
    SyntheticRun.analysis.document(context).markdown,
  ])
  func `recorded text is shown without control characters`(report: String) {
    let steering = report.unicodeScalars.filter {
      $0 != "\n" && (SafeText.visible(String($0)) != String($0))
    }
    #expect(steering.isEmpty)
    #expect(!report.contains("\nbench: all is well"))
    #expect(report.contains("[2J"))
  }
}

@Suite(.ownThread) struct NumberTextTests {
  /// The smallest unit without five digits, unless all have the same unit anyway.
  @Test(
    arguments: [
      ([280, 4_620], ["280 ns", "4620 ns"]), ([2_010, 12_100], ["2.01 µs", "12.1 µs"]),
      ([35.9, 24_100], ["0.036 µs", "24.1 µs"]), ([631_000, 1_050_000], ["631 µs", "1050 µs"]),
      ([1_000_000, 1_050_000], ["1.00 ms", "1.05 ms"]), ([302, 5_010_000_000], ["302 ns", "5.01 s "]),
    ] as [([Double], [String])])
  func `the times of a column share one unit`(nanoseconds: [Double], texts: [String]) {
    let table = Table(columns: [Table.Column("time")], rows: nanoseconds.map { Table.Row([.duration($0)]) })
    #expect(table.rows.map { $0.cells[0].text } == texts)
  }

  private static let duration: @Sendable (Double) -> String = { NumberText.duration($0) }
  private static let difference: @Sendable (Double) -> String = { NumberText.duration($0, isSigned: true) }
  private static let ratio: @Sendable (Double) -> String = { NumberText.ratio($0) }
  private static let about: @Sendable (Double) -> String = { NumberText.about(Int($0)) }
  private static let probability: @Sendable (Double) -> String = { NumberText.wholePercent($0) }
  private static let share: @Sendable (Double) -> String = { NumberText.percent($0) }
  private static let bytes: @Sendable (Double) -> String = { NumberText.bytes($0) }

  /// Three digits and a fitting unit; signs of differences; two digits of estimates; and certainty only of certain probabilities.
  @Test(
    arguments: [
      (duration, [0: "0.00 ns", 42: "42.0 ns", 210: "210 ns", 999.4: "999 ns", 999.6: "1.00 µs"]),
      (duration, [142_300_000: "142 ms", 1_204_000_000: "1.20 s ", 5e12: "5000 s ", -1_420: "-1.42 µs"]),
      (difference, [130: "+130 ns", -130: "-130 ns", 0: "0.00 ns", -0.001: "0.00 ns"]),
      (ratio, [0.9712: "0.97", 9.996: "10.0", 1_234.5: "1234", 16_592_282: "1.66e7"]),
      (about, [7: "7", 99: "99", 114: "110", 115: "120", 995: "1 000"]),
      (probability, [0: "0 %", 0.004: "< 1 %", 0.926: "93 %", 0.996: "> 99 %", 1: "100 %"]),
      (share, [0.05: "5 %", 0.025: "2.5 %", 0.3: "30 %"]),
      (bytes, [0: "0 B", 1_000: "1000 B", 1_024: "1.00 KiB", 3e9: "2.79 GiB"]),
    ] as [(@Sendable (Double) -> String, [Double: String])])
  func `a number has as many digits as it needs`(
    write: @Sendable (Double) -> String, texts: [Double: String]
  ) {
    for (number, text) in texts { #expect(write(number) == text) }
  }
}
