import Exports
import Foundation
import Harness
import Results
import UploadScenario
import Verdicts

/// Analyses the samples of a run, writes the files of its folder, and prints its report.
struct Reporting {
  let analysis: RunAnalysis
  private var environment: EnvironmentRecord
  private let samples: [Sample]
  private let directory: RunDirectory

  init(
    _ directory: RunDirectory, environment: EnvironmentRecord, samples: [Sample],
    analysis options: AnalysisOptions
  ) {
    self.directory = directory
    self.samples = samples
    analysis = RunAnalysis(run: directory.name, samples: samples, options: options)
    var environment = environment
    environment.note(options)
    environment.droppedSamples = analysis.droppedSamples.keyed { ($0.key.rawValue, $0.value) }
    environment.missingCells = analysis.missing.map(\.description)
    self.environment = environment
  }

  init(_ recording: Recording, analysis options: AnalysisOptions) {
    var environment = recording.environment
    environment.finishedAt = Date()
    environment.isInterrupted = Interruption.isRequested
    self.init(
      recording.directory, environment: environment, samples: recording.samples, analysis: options)
    noteOverhead()
  }

  private mutating func noteOverhead() {
    if let overhead = environment.harnessOverheadNanoseconds,
      let shortest = analysis.summaries.compactMap(\.medianNanoseconds).min()
    {
      let share = overhead / shortest
      environment.notes["harness_overhead_share_of_shortest_sample"] = String(format: "%.4f", share)
      // Both times of a ratio include the harness's overhead. An overhead of 2 % changes a ratio by at most 2 %, and a ratio of 2 by 1 %.
      if share > 0.02 {
        environment.warnings.append(
          "the harness itself takes \(String(format: "%.1f", share * 100)) % of the shortest sample, so ratios of short samples are closer to 1 than they should be"
        )
      }
    }
  }

  static let details = Option("--details", nil, "every table, not only the answer on one screen")

  /// The command that draws a run's charts. Empty in packages without plot.py.
  static func charts(of directory: RunDirectory) -> [String] {
    FileManager.default.fileExists(atPath: "plot.py") ? ["python3 plot.py \(directory.path)"] : []
  }

  /// The contenders with at least one valid sample.
  var measuredContenders: [String] {
    samples.filter { $0.outcome == .measured && !ExternalBaseline.contains($0.contender) }.map(\.contender)
      .unique()
  }

  /// One line for each kind of failure, with the contenders that failed in this way.
  var failures: [String] {
    var found: [(scenario: String, reason: String, contenders: [String])] = []
    for sample in samples where sample.outcome != .measured {
      let reason = sample.reason ?? sample.outcome.rawValue
      if let known = found.firstIndex(where: { ($0.scenario, $0.reason) == (sample.scenario, reason) }) {
        found[known].contenders.append(sample.contender)
      } else {
        found.append((sample.scenario, reason, [sample.contender]))
      }
    }
    return found.map { scenario, reason, contenders in
      if contenders == [BenchmarkTable.usualImplementer] { return "\(scenario): \(reason)" }
      return
        "\(contenders.joined(separator: ", ")) \(contenders.count == 1 ? "is" : "are") not ranked on \(scenario): \(reason)"
    }
  }

  /// A contender does not count as failed if the only problem is that the store has rejected its uploads.
  var exitCode: ExitCode {
    let failed = samples.filter { $0.outcome != .measured }
    let isTheStores = failed.allSatisfy {
      $0.outcome == .failed && ServiceKind(rawValue: $0.service)?.keepsBytes == true
        && $0.reason?.contains("ended with an error: media") == true
    }
    return failed.isEmpty ? .fine : isTheStores ? .cannotReadOrWrite : .contenderFailed
  }

  func write() throws {
    try directory.write(analysis.summaries, as: RunDirectory.summaryName)
    if !analysis.pairs.isEmpty { try directory.write(analysis.pairs, as: RunDirectory.pairsName) }
    try directory.write(growth: analysis.growth.records)
    if analysis.hasAnswer {
      try directory.write(
        analysis.answer(context).json(), as: RunDirectory.answerName)
    }
    try directory.write(environment: environment)
    try directory.write(analysis.document(context).markdown, as: RunDirectory.markdownName)
  }

  var context: ReportContext {
    ReportContext(environment: environment, others: OtherRun.all(beside: directory.path))
  }

  func conclude(_ format: ReportFormat, showsDetails: Bool = false, nextSteps: [String] = []) throws {
    try write()
    let nextSteps = Self.charts(of: directory) + nextSteps
    Terminal.print(
      try text(format, showsDetails: showsDetails, nextSteps: nextSteps), remains: directory.remains)
  }

  /// The report as text. Standard error lists the samples and contenders that this format leaves out.
  func text(_ format: ReportFormat, showsDetails: Bool = false, nextSteps: [String]) throws -> String {
    let more = ["\(CommandName.invocation) report \(directory.path) --details"]
    var context = context
    context.nextSteps = showsDetails ? nextSteps : more + nextSteps
    // A run that was killed has no summary.csv.
    if FileManager.default.fileExists(atPath: directory.summaryPath) {
      context.numbers = directory.summaryPath
    }
    return try format.text(
      Report(
        document: showsDetails ? analysis.document(context) : analysis.screen(context),
        page: analysis.document(context), json: { try analysis.json(context) }, csv: summaryFile,
        export: export))
  }

  private func summaryFile() throws -> String {
    do { return try String(contentsOfFile: directory.summaryPath, encoding: .utf8) } catch {
      throw ResultsError.cannotRead(path: directory.summaryPath, reason: SystemReason.of(error))
    }
  }

  private func export(_ format: ExportFormat) throws -> String {
    let run = ExportedRun(analysis, samples: samples, environment: environment)
    let export = try format.export(run)
    for sentence in run.leftOut + export.remarks { Terminal.remark(sentence) }
    return export.text
  }
}

extension RunPlan {
  var cells: [CellKey] {
    scenarios.flatMap { scenario in
      contenders(of: scenario).map { CellKey(contender: $0, scenario: scenario.name) }
    }
  }
}

/// The results of a command, in each form that an output format may need.
struct Report {
  let document: Document
  /// For Markdown, a longer version of the document.
  var page: Document?
  let json: () throws -> String
  var csv: () throws -> String = { "" }
  /// Workflow commands of GitHub Actions.
  var annotations: () -> String = { "" }
  var export: (ExportFormat) throws -> String = { _ in "" }
}

struct ReportFormat: Sendable {
  let name: String
  let commands: Set<Subcommand>
  let text: @Sendable (Report) throws -> String

  static let all: [ReportFormat] =
    [
      .init(name: "table", commands: measuring.union([.report, .load, .list])) { terminal($0.document) },
      .init(name: "text", commands: judging) { terminal($0.document) },
      .init(name: "markdown", commands: measuring.union(judging).union([.report, .load])) {
        ($0.page ?? $0.document).markdown
      },
      .init(name: "csv", commands: measuring.union([.report, .load])) { try $0.csv() },
      .init(name: "json", commands: measuring.union(judging).union([.report, .load, .list])) {
        try $0.json()
      },
      .init(name: "github", commands: [.check, .checkBenchmarks]) { $0.annotations() },
    ]
    + ExportFormat.allCases.map { format in
      .init(name: format.rawValue, commands: measuring) { try $0.export(format) }
    }

  private static let measuring: Set<Subcommand> = [.run, .runtimes, .runBenchmarks, .merge]
  private static let judging: Set<Subcommand> = [.check, .checkBenchmarks, .compare, .doctor]

  private static func terminal(_ document: Document) -> String {
    document.text(usesColour: Terminal.wantsColour, width: Terminal.tableWidth)
  }

  /// The formats that a command supports. The first one is the default.
  static func all(of command: Subcommand) -> [ReportFormat] { all.filter { $0.commands.contains(command) } }

  static func option(_ command: Subcommand) -> Option {
    let names = all(of: command).map(\.name)
    return Option(
      "--format", "FORMAT", "\(names.alternatives) on standard output (\(names[0]))", words: names)
  }
}

extension ReportFormat {
  init(_ options: Options, _ command: Subcommand) throws {
    let formats = Self.all(of: command)
    let name = try options.choice("--format", among: formats.map(\.name))
    self = formats.first { $0.name == name } ?? formats[0]
  }
}

extension [String] {
  var alternatives: String {
    count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : joined()
  }
}
