import Verdicts
import Foundation
import Results
import Statistics

extension RecordedRun {
  /// Reads a run whole; what no run of this command could have written is refused with its line and column.
  static func read(_ path: String) throws -> RecordedRun {
    let (directory, environment, recorded) = try whole(path)
    return RecordedRun(
      name: path, environment: environment, samples: recorded.samples, truncatedLine: recorded.truncatedLine,
      lostSamples: lostSamples(in: directory, of: recorded.samples))
  }

  /// What the files of a run hold that has a sample.
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

  /// How many samples a run's summary tells of that are not there. A summary that is missing or cannot be read tells of
  /// none.
  static func lostSamples(in directory: RunDirectory, of samples: [Sample]) -> Int {
    guard let summary = try? directory.readSummary() else { return 0 }
    let told = summary.reduce(0) { $0 + $1.samples + $1.dropped }
    return max(0, told - samples.count { $0.outcome == .measured })
  }

  /// How long the source files were, by contender and pattern, which only the summary tells. A run that was killed has none.
  static func sourceLines(in directory: RunDirectory) throws -> [String: [String: Int]] {
    guard FileManager.default.fileExists(atPath: directory.summaryPath) else { return [:] }
    return try directory.readSummary().reduce(into: [:]) { lines, cell in
      if let count = cell.sourceLines { lines[cell.contender, default: [:]][cell.pattern] = count }
    }
  }

  /// In what a run's summary contradicts its samples, the first of it in words; nil if in nothing, or if there is no summary that
  /// can be read.
  ///
  /// Compared is what every version of the analysis makes of the same samples.
  static func contradiction(in directory: RunDirectory, _ analysis: RunAnalysis, of samples: [Sample])
    -> String?
  {
    guard let told = try? directory.readSummary() else { return nil }
    func cell(_ row: CellSummary) -> CellKey {
      CellKey(contender: row.contender, scenario: row.scenario, machine: row.machine)
    }
    let rows = analysis.summaries.keyed { (cell($0), $0) }
    let measured = SampleSelection(samples).only { $0.outcome == .measured && $0.dropped == nil }
      .groups { CellKey(contender: $0.contender, scenario: $0.scenario, machine: $0.machine) }
    var found: [String] = []
    for (index, row) in told.enumerated() {
      let place = "\(directory.summaryPath):\(index + 2): \(row.contender) in \(row.scenario)"
      guard var right = rows[cell(row)] else {
        found.append("\(place) has no sample")
        continue
      }
      // In runs of before November 2026 a time is the median of the cell's own samples.
      let own = Quantiles.median(
        of: measured[cell(row)]?.compactMap(\.wallNanoseconds).map(Double.init) ?? [])
      if let own, isSame(row.medianNanoseconds.map(ColumnValue.init(rounding:)), ColumnValue(rounding: own)) {
        right.medianNanoseconds = own
      }
      for column in CellSummary.columns where compared.contains(column.name) {
        let (told, right) = (column.value(row), column.value(right))
        // Another version may have had no reference there.
        if column.name == "reference", told == nil { continue }
        if !isSame(told, right) {
          found.append("\(place) has a \(column.name) of \(text(told)), its samples one of \(text(right))")
        }
      }
    }
    for key in Set(rows.keys).subtracting(told.map(cell)).map(\.description).sorted() {
      found.append("\(directory.summaryPath) has no row of \(key)")
    }
    guard let first = found.first else { return nil }
    return first + (found.count > 1 ? ", and \(found.count - 1) more differ" : "")
      + ". A file was changed: what is shown here is what the samples say."
  }

  private static let compared: Set<String> = [
    "outcome", "samples", "dropped", "median_ns", "reference", "ratio", "cpu_ratio", "allocations_per_upload",
    "retains_per_upload",
  ]

  /// Text and whole numbers are the same or not; others were rounded.
  private static func isSame(_ told: ColumnValue?, _ right: ColumnValue?) -> Bool {
    guard case (.decimal(let told)?, .decimal(let right)?) = (told, right) else { return told == right }
    return abs(told - right) <= 0.005 * max(abs(told), abs(right))
  }

  private static func text(_ value: ColumnValue?) -> String {
    switch value {
    case .integer(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .text(let text): text
    case .flag, .list, nil: "nothing"
    }
  }

  /// What is not in the file that should be, in words.
  static func losses(in directory: RunDirectory, of recorded: RecordedSamples) -> [String] {
    let lost = lostSamples(in: directory, of: recorded.samples)
    let losses = [
      recorded.truncatedLine.map { "line \($0) of \(directory.samplesPath) was cut off and is left out" },
      lost > 0 ? "\(lost) samples that its summary tells of are not in \(directory.samplesPath)" : nil,
    ]
    return losses.compactMap(\.self)
  }

  /// All samples of a run, which may be none.
  static func samples(in directory: RunDirectory) throws -> RecordedSamples {
    let count = directory.sampleLines
    guard count <= mostSamples else {
      throw ResultsError.malformed(
        path: directory.samplesPath, line: mostSamples + 2, column: nil,
        problem: "is one more than \(mostSamples) samples, which are all that can be judged at once",
        advice: "Record less at once: fewer scenarios, or a shorter --budget.")
    }
    Terminal.progress("reading \(count) samples …", isQuiet: count < 100_000)
    let (samples, truncatedLine) = try directory.readSamples()
    return RecordedSamples(samples: samples, truncatedLine: truncatedLine)
  }

  /// What is recorded of the only run that all paths lead to; nil if they lead to several.
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
        "there is nothing at \(path). Give a folder that `\(CommandName.current) run` wrote, such as results/latest."
      )
    }
    guard isDirectory.boolValue else {
      throw BaselineProblem(
        "\(path) is a file. Give the folder of a run, which holds its \(RunDirectory.samplesName).")
    }
    let directory: RunDirectory
    do { directory = try RunDirectory.open(path) } catch {
      switch error {
      case .noRun, .loadRun: throw BaselineProblem(error.description)
      default: throw error
      }
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: directory.samplesPath)
    // What is no regular file has no size, and its reader says what it is.
    let isRegular = attributes?[.type] as? FileAttributeType == .typeRegular
    if isRegular, attributes?[.size] as? Int == 0 {
      throw BaselineProblem("\(directory.samplesPath) is empty. Record the run again.")
    }
    return directory
  }

  /// As many as the catalog takes in some hours, and few enough to be held in memory: about 600 MB.
  static let mostSamples = 1_000_000
}

/// All samples of a run, as far as they were written.
struct RecordedSamples {
  let samples: [Sample]
  /// The number of a last line of samples.csv that a kill cut off and that is left out; nil if there is none.
  let truncatedLine: Int?
}
