import Analysis

/// What changed between two recorded runs. It informs; `check --baseline` decides.
enum CompareCommand {
  static let operands = ["BASE", "CANDIDATE"]

  static let options =
    RecordedTerms.options + [
      Option(
        "--format", "FORMAT", "text, markdown or json on standard output (text)",
        words: Format.allCases.map(\.rawValue))
    ]

  private enum Format: String, CaseIterable { case text, markdown, json }

  static func run(_ arguments: [String]) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format =
      try options.choice("--format", among: Format.allCases.map(\.rawValue)).flatMap(Format.init) ?? .text
    let runs = try options.operands.map(RecordedRun.read)
    let comparison = try RecordedComparison(
      base: runs[0], candidate: runs[1], try RecordedTerms.terms(options, runs: runs))
    switch format {
    case .text: Terminal.print(ComparisonTextReport.text(comparison, usesColour: Terminal.wantsColour))
    case .markdown: Terminal.print(CheckMarkdownReport.text(CheckReport(comparison, isGate: false)))
    case .json: Terminal.print(try CheckJSONReport.text(CheckReport(comparison, isGate: false)))
    }
    return .fine
  }
}
