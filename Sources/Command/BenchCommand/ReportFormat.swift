/// How what was measured is told on standard output.
enum ReportFormat: String, CaseIterable {
  case table, markdown, csv, json

  static let option = Option(
    "--format", "FORMAT", "table, markdown, csv or json on standard output (table)",
    words: allCases.map(\.rawValue))

  init(_ options: Options) throws {
    self =
      try options.choice("--format", among: Self.allCases.map(\.rawValue)).flatMap(Self.init) ?? .table
  }
}
