import Verdicts
import Foundation
import Results
import Statistics

extension RecordedRun {
  static func read(_ path: String) throws -> RecordedRun {
    let (directory, environment, recorded) = try whole(path)
    return RecordedRun(
      name: path, environment: environment, samples: recorded.samples, truncatedLine: recorded.truncatedLine,
      lostSamples: lostSamples(in: directory, of: recorded.samples))
  }

  /// Reads the files of a run, which must have samples.
  static func whole(_ path: String) throws -> (RunDirectory, EnvironmentRecord, RecordedSamples) {
    let directory = try existing(path)
    let environment = try directory.readEnvironment()
    let recorded = try samples(in: directory)
    guard !recorded.samples.isEmpty else {
      throw BaselineProblem(
        "\(directory.samplesPath) holds no sample: its run ended before the first one. Record it again.")
    }
    return (directory, environment, recorded)
  }

  /// The number of samples that are counted in summary.csv but missing in samples.csv. 0 if summary.csv cannot be read.
  static func lostSamples(in directory: RunDirectory, of samples: [Sample]) -> Int {
    guard let summary = try? directory.readSummary() else { return 0 }
    let counted = summary.reduce(0) { $0 + $1.samples + $1.dropped }
    return max(0, counted - samples.count { $0.outcome == .measured })
  }

  /// The lines of source code by contender and pattern, from summary.csv. Empty if there is none, because the run was killed.
  static func sourceLines(in directory: RunDirectory) throws -> [String: [String: Int]] {
    guard FileManager.default.fileExists(atPath: directory.summaryPath) else { return [:] }
    return try directory.readSummary().reduce(into: [:]) { lines, cell in
      if let count = cell.sourceLines { lines[cell.contender, default: [:]][cell.pattern] = count }
    }
  }

  /// A sentence about the first contradiction between summary.csv and samples.csv, or `nil` if there is none, or no readable summary.csv.
  static func contradiction(in directory: RunDirectory, _ analysis: RunAnalysis, of samples: [Sample])
    -> String?
  {
    guard let summary = try? directory.readSummary() else { return nil }
    func cell(_ row: CellSummary) -> CellKey {
      CellKey(contender: row.contender, scenario: row.scenario, machine: row.machine)
    }
    let rows = analysis.summaries.keyed { (cell($0), $0) }
    let measured = SampleSelection(samples).only { $0.outcome == .measured && $0.dropped == nil }
      .groups { CellKey(contender: $0.contender, scenario: $0.scenario, machine: $0.machine) }
    var found: [String] = []
    for (index, row) in summary.enumerated() {
      let place = "\(directory.summaryPath):\(index + 2): \(row.contender) in \(row.scenario)"
      guard var right = rows[cell(row)] else {
        found.append("\(place) has no sample")
        continue
      }
      // Some versions of `bench` recorded the plain median of the samples, which is accepted, too.
      let own = Quantiles.median(
        of: measured[cell(row)]?.compactMap(\.wallNanoseconds).map(Double.init) ?? [])
      if let own, isSame(row.medianNanoseconds.map(ColumnValue.init(rounding:)), ColumnValue(rounding: own)) {
        right.medianNanoseconds = own
      }
      for column in CellSummary.columns where compared.contains(column.name) {
        let (recorded, right) = (column.value(row), column.value(right))
        // Some versions of `bench` left this column empty.
        if column.name == "reference", recorded == nil { continue }
        if !isSame(recorded, right) {
          found.append(
            "\(place) has a \(column.name) of \(text(recorded)), but its samples give \(text(right))")
        }
      }
    }
    for key in Set(rows.keys).subtracting(summary.map(cell)).map(\.description).sorted() {
      found.append("\(directory.summaryPath) has no row of \(key)")
    }
    guard let first = found.first else { return nil }
    return first + (found.count > 1 ? ", and \(found.count - 1) more differ" : "")
      + ". A file was changed: this report is computed from the samples"
  }

  /// The columns of summary.csv that all versions of `bench` compute in the same way.
  private static let compared: Set<String> = [
    "outcome", "samples", "dropped", "median_ns", "reference", "ratio", "cpu_ratio", "allocations_per_upload",
    "retains_per_upload",
  ]

  /// Whether two values are equal, apart from the rounding of decimal numbers.
  private static func isSame(_ a: ColumnValue?, _ b: ColumnValue?) -> Bool {
    guard case (.decimal(let a)?, .decimal(let b)?) = (a, b) else { return a == b }
    return abs(a - b) <= 0.005 * max(abs(a), abs(b))
  }

  private static func text(_ value: ColumnValue?) -> String {
    switch value {
    case .integer(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .text(let text): text
    case .flag, .list, nil: "nothing"
    }
  }

  static func losses(in directory: RunDirectory, of recorded: RecordedSamples) -> [String] {
    let lost = lostSamples(in: directory, of: recorded.samples)
    let losses = [
      recorded.truncatedLine.map { "line \($0) of \(directory.samplesPath) was cut off and is left out" },
      lost > 0
        ? "\(directory.samplesPath) lacks \(Plural.counted(lost, "sample")) that summary.csv counts" : nil,
    ]
    return losses.compactMap(\.self)
  }

  static func samples(in directory: RunDirectory) throws -> RecordedSamples {
    let count = directory.sampleLines
    guard count <= mostSamples else {
      throw ResultsError.malformed(
        path: directory.samplesPath, line: mostSamples + 2, column: nil,
        problem: "is one more than \(mostSamples) samples, the most that one report can have",
        advice: "Record less at once: fewer scenarios, or a shorter --budget.")
    }
    Terminal.progress("reading \(count) samples …", isQuiet: count < 100_000)
    return try directory.readSamples(reserving: count)
  }

  /// Reads environment.json if all paths lead to the same run. Returns `nil` if they lead to several runs.
  static func onlyOne(of paths: [String]) throws -> EnvironmentRecord? {
    let folders = try paths.map(existing)
    let places = Set(folders.map { URL(filePath: $0.path).resolvingSymlinksInPath().path })
    return places.count == 1 ? try folders[0].readEnvironment() : nil
  }

  static func existing(_ path: String) throws -> RunDirectory {
    if let reason = SystemReason.ofHiding(path + "/" + RunDirectory.samplesName) {
      throw ResultsError.cannotRead(path: path, reason: reason)
    }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw BaselineProblem(
        "\(path) does not exist. Give a folder that `\(CommandName.current) run` wrote, such as results/latest."
      )
    }
    guard isDirectory.boolValue else {
      throw BaselineProblem(
        "\(path) is a file. Give the folder that contains \(RunDirectory.samplesName).")
    }
    let directory: RunDirectory
    do { directory = try RunDirectory.open(path) } catch {
      switch error {
      case .noRun, .loadRun: throw BaselineProblem(error.description)
      default: throw error
      }
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: directory.samplesPath)
    // Only a regular file of size 0 is known to be empty. All other problems are found when the file is read.
    let isRegular = attributes?[.type] as? FileAttributeType == .typeRegular
    if isRegular, attributes?[.size] as? Int == 0 {
      throw BaselineProblem("\(directory.samplesPath) is empty. Record the run again.")
    }
    return directory
  }

  /// The most samples that one report may have. They need about 600 MB of memory.
  static let mostSamples = 1_000_000
}

/// The samples of a run. `truncatedLine` is the incomplete last line of samples.csv after a killed run; it is not a sample.
typealias RecordedSamples = (samples: [Sample], truncatedLine: Int?)
