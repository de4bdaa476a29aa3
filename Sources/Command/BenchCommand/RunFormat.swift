import Exports

/// How a run is told on standard output: as a report of ours, or as a file of another tool.
enum RunFormat: Equatable {
  case report(ReportFormat)
  case export(ExportFormat)

  static let option = Option(
    "--format", "FORMAT",
    "table, markdown, csv or json on standard output, or as `export` has it: \(ExportFormat.names) (table)",
    words: ReportFormat.allCases.map(\.rawValue) + ExportFormat.allCases.map(\.rawValue))

  init(_ options: Options) throws {
    let exports = ExportFormat.allCases.map(\.rawValue)
    let word = try options.choice("--format", among: ReportFormat.allCases.map(\.rawValue) + exports)
    self =
      word.flatMap(ExportFormat.init).map(Self.export)
      ?? .report(word.flatMap(ReportFormat.init) ?? .table)
  }
}

extension ExportFormat {
  /// All of them in words.
  static var names: String {
    allCases.map(\.rawValue).dropLast().joined(separator: ", ")
      + " or \(allCases[allCases.count - 1].rawValue)"
  }
}
