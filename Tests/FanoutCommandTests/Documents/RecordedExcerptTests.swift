import Foundation
import Registry
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand
@testable import Results
@testable import Verdicts

/// The pages quote the committed runs correctly. Serialized, because the tests share the analysed runs.
@Suite(.ownThread(minutes: 10), .serialized) struct RecordedExcerptTests {
  /// A run's table begins with its scenario and its number of rounds.
  private static func isTable(_ block: String) -> Bool {
    block.prefixMatch(of: /[a-z][a-z0-9-]+: (.|\n)*? rounds\b/) != nil
  }

  /// Each run is analysed once, because a debug build takes long.
  private static let judged = Mutex<[String: Judged]>([:])

  private struct Judged: Sendable {
    let screen: String
    let report: String
    let answer: String
  }

  private static func recorded(_ run: String) throws -> Judged {
    try judged.withLock { judged in
      if let known = judged[run] { return known }
      let path = Page.root.appendingPathComponent("results/\(run)").path
      let (directory, environment, recorded) = try RecordedRun.whole(path)
      let reporting = try ReportCommand.report(directory, environment, recorded)
      let table = ReportFormat.all(of: .report)[0]
      let texts = try [false, true].map { try reporting.text(table, showsDetails: $0, nextSteps: []) }
      let answer = try reporting.analysis.answer(reporting.context).json()
      let found = Judged(screen: texts[0], report: texts[1], answer: answer)
      judged[run] = found
      return found
    }
  }

  /// Without the commands below the answer.
  @Test func `the README's answer is that of the reference run`() throws {
    let page = Page("README.md")
    let paragraphs = try Self.recorded("reference").screen.components(separatedBy: "\n\n")
    let right = paragraphs.dropLast().joined(separator: "\n\n")
    try page.update(page.fenced("answer"), with: right)
    let answer = try page.fenced("answer")
    #expect(answer == right, "the run says:\n\(right)")
  }

  /// The source of a run's page: its headline and first charts.
  @Test(
    arguments: ["reference", "reference-rivals", "reference-textbook", "reference-variants"].prefix(
      Effort.count(2, thorough: 4)))
  func `a recorded answer is that of its run`(run: String) throws {
    let file = Page.root.appendingPathComponent("results/\(run)/answer.json")
    let right = try Self.recorded(run).answer
    if GoldenFile.areUpdated { try Data(right.utf8).write(to: file) }
    #expect(try String(contentsOf: file, encoding: .utf8) == right)
  }

  @Test func `every table that the guide quotes is what a run says`() throws {
    let page = "Documentation/Guide.md"
    let reports = try ["reference", "reference-runtimes"].map { try Self.recorded($0).report }
    func said(_ table: String) -> String? {
      let name = table.prefix { $0 != ":" }
      return reports.flatMap { $0.components(separatedBy: "\n\n") }.first { $0.hasPrefix("\(name):") }
    }
    for table in try Page(page).blocks().filter(Self.isTable) {
      if let said = said(table) { try Page(page).update(Page.indented(table), with: Page.indented(said)) }
    }
    let tables = try Page(page).blocks().filter(Self.isTable)
    #expect(!tables.isEmpty)
    for table in tables {
      let isSaid = reports.contains { $0.contains(table + "\n") }
      #expect(isSaid, "the run says:\n\(said(table) ?? "nothing of it")")
    }
  }
}

/// Tables whose heads name cells of a committed run show those cells' values.
///
/// A column's head has three lines: its title, a scenario, and a column of `summary.csv`; rows begin with a contender, and the first
/// head may name the run (`reference`). A `?` marks an undecided comparison with the reference, a `–` an absent cell.
@Suite(.ownThread) struct FigureTableTests {
  @Test(arguments: ["Documentation/Contenders.md"])
  func `each figure is that of its row in the cited run`(path: String) throws {
    let page = Page(path)
    let tables = try Self.tables(of: page)
    #expect(!tables.isEmpty)
    var runs: [String: [String: [String: String]]] = [:]
    for table in tables {
      let run =
        Self.fields(table[0])[0].split(separator: "`").dropFirst().first.map(String.init) ?? "reference"
      let cells = try runs[run] ?? Self.cells(of: "results/\(run)")
      runs[run] = cells
      let right = try table.map { try Self.row($0, head: table[0], cells) }
      try page.update(table.joined(separator: "\n"), with: right.joined(separator: "\n"))
      let isRight = try page.text().contains(right.joined(separator: "\n"))
      #expect(isRight, "\(page) should have:\n\(right.joined(separator: "\n"))")
    }
  }

  /// The tables with scenarios in their heads, line by line.
  private static func tables(of page: Page) throws -> [[String]] {
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.indices.filter { lines[$0].hasPrefix("|") && lines[$0].contains("<br>`") }.map { start in
      Array(lines[start...].prefix { $0.hasPrefix("|") })
    }
  }

  private static func fields(_ line: String) -> [String] {
    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The right line of a table; the head and the rule stay.
  private static func row(_ line: String, head: String, _ cells: [String: [String: String]]) throws -> String
  {
    guard line.hasPrefix("| `") else { return line }
    let title = fields(line)[0]
    let contender = String(title.split(separator: "`")[0])
    let figures = try fields(head).dropFirst().map { title in
      let names = title.components(separatedBy: "<br>").dropFirst().map { $0.filter { $0 != "`" } }
      let key = "\(contender) \(names[0])"
      return try cells[key].map { try figure(names[1], of: $0) } ?? "–"
    }
    return "| " + ([title] + figures).joined(separator: " | ") + " |"
  }

  private static func figure(_ column: String, of cell: [String: String]) throws -> String {
    let text = try #require(cell[column], "there is no column \(column)")
    guard let value = Double(text) else { return text }
    if column.hasSuffix("ratio") {
      let verdict = column == "ratio" ? cell["verdict"] : cell["cpu_verdict"]
      return NumberText.ratio(value) + (verdict == "unresolved" ? " ?" : "")
    }
    guard column.hasPrefix("ns_") || column.contains("_ns") else {
      return column.contains("bytes") ? NumberText.bytes(value) : NumberText.whole(value)
    }
    // A negative value is a measurement error.
    if column.contains("above_service"), value < 0 { return "none" }
    let isOverhead = column.hasPrefix("overhead")
    if isOverhead, cell["verdict"] == "" { return "–" }
    let duration = NumberText.duration(value, isSigned: isOverhead).trimmingCharacters(in: .whitespaces)
    return duration + (isOverhead && cell["verdict"] == "unresolved" ? " ?" : "")
  }

  /// The rows of `summary.csv`, by contender and scenario, then by column.
  private static func cells(of run: String) throws -> [String: [String: String]] {
    let path = Page.root.appendingPathComponent("\(run)/summary.csv").path
    let names = CellSummary.columns.map(\.name)
    return Dictionary(
      uniqueKeysWithValues: try CSVReader<CellSummary>(path).rest().map { row in
        let fields = try CellSummary.columns.map { try $0.write(row) }
        return ("\(row.contender) \(row.scenario)", Dictionary(uniqueKeysWithValues: zip(names, fields)))
      })
  }
}

/// The table of Documentation/Textbook.md shows what the shapes declare broken, and each contender's time as a multiple of its shape's.
@Suite(.ownThread) struct TextbookTableTests {
  private static let run = "results/reference-textbook"

  /// Each shape with its contender, and its scenarios, if they differ from the usual five.
  private static let pairs: [(shape: String, contender: String, scenarios: [String]?)] = [
    ("dispatch-group", "gcd-groups", nil), ("closure-task", "closure-tasks", nil),
    ("operation", "operations", nil), ("task-group", "swift-concurrency", nil),
    ("async-let", "swift-concurrency", ["zip-instant-3"]),
    ("serial-await", "swift-concurrency", ["zip-serial-latency-3"]), ("zip", "reactive-streams", nil),
    ("bridge", "reactive-streams", nil), ("coroutine", "coroutines", nil),
  ]
  private static let publishes =
    [1, 100, 1_000, 10_000].map { "publish-instant-\($0)" } + ["publish-latency-100"]

  @Test func `each ratio is that of a contender to its shape in the committed run`() throws {
    let page = Page("Documentation/Textbook.md")
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let samples = try CSVReader<Sample>(Page.root.appending(path: "\(Self.run)/samples.csv").path).rest()
    for pair in Self.pairs {
      let row = try #require(
        lines.first { $0.hasPrefix("| `\(pair.shape)` | `\(pair.contender)` |") },
        "\(page) has no row of \(pair.shape)")
      let fields = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let right =
        "| "
        + (fields.prefix(2) + [Self.breaks(pair.shape)] + Self.ratios(of: pair, samples)).joined(
          separator: " | ") + " |"
      try page.update(row, with: right)
      let isRight = try page.text().contains(right)
      #expect(isRight, "\(page) should have: \(right)")
    }
  }

  /// The first rule of each requirement that the shape declares broken.
  private static func breaks(_ shape: String) -> String {
    let broken = variants.first { $0.name == "textbook/\(shape)" }?.brokenRequirements ?? []
    return broken.map { "`\($0.rules[0])`" }.joined(separator: ", ")
  }

  private static func ratios(
    of pair: (shape: String, contender: String, scenarios: [String]?), _ samples: [Sample]
  ) -> [String] {
    let shape = "textbook/\(pair.shape)"
    let scenarios = pair.scenarios ?? publishes
    let analysis = RunAnalysis(
      run: "textbook",
      samples: samples.filter {
        [shape, pair.contender].contains($0.contender) && scenarios.contains($0.scenario)
      }, options: AnalysisOptions(reference: shape))
    let texts = scenarios.map { scenario -> String in
      let cell = analysis.summaries.first { $0.contender == pair.contender && $0.scenario == scenario }
      guard let cell, let ratio = cell.ratio, let low = cell.ratioLow, let high = cell.ratioHigh else {
        return "?"
      }
      return "\(NumberText.ratio(ratio)) [\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
    }
    return texts + Array(repeating: "–", count: publishes.count - texts.count)
  }
}

@Suite(.ownThread) struct LineCountTests {
  @Test func `a library's lines are those of its module and of what that imports`() throws {
    let known = Dictionary(
      uniqueKeysWithValues: contenders.map { ($0.name, SourceLines.ofLibraries(below: $0)) })
    func lines(of modules: String...) throws -> Int {
      try modules.reduce(0) { sum, module in
        let folder = SourceLines.sources.appending(path: module)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try files.reduce(sum) { sum, file in
          guard let file = file as? URL, file.pathExtension == "swift" else { return sum }
          return sum + SourceLines.lines(in: try String(contentsOf: file, encoding: .utf8))
        }
      }
    }
    #expect(known["callbacks"] == .some(nil))
    #expect(known["operations"] == .some(nil))
    let futures = try lines(of: "Runtimes/Futures", "Runtimes/RuntimeSupport", "Threads/Timers")
    #expect(known["futures"] == futures)
  }

  @Test func `the table of lines per pattern is what the sources hold`() throws {
    // A rival exists only with its trait.
    let ours = contenders.filter { contender in
      let module = String(reflecting: type(of: contender)).prefix { $0 != "." }
      return !module.hasSuffix("Rival") && !contender.name.contains("/")
    }
    let counts = SourceLines.count(of: ours, patterns: Pattern.allCases.map(\.rawValue))
    let page = Page("Documentation/Contenders.md")
    for contender in ours {
      let lines = try Pattern.allCases.map { "\(try #require(counts[contender.name]?[$0.rawValue]))" }
      let right = "| `\(contender.name)` | \(lines.joined(separator: " | ")) |"
      let numbers = #/\| `([^`]+)` (\| \d+ )+\|/#
      let row = try page.text().split(separator: "\n").first {
        $0.wholeMatch(of: numbers).map { $0.output.1 == contender.name } ?? false
      }
      try page.update(String(try #require(row, "\(page) has no row of \(contender.name)")), with: right)
      let isRight = try page.text().contains(right)
      #expect(isRight, "\(page) should have:\n\(right)")
    }
  }
}
