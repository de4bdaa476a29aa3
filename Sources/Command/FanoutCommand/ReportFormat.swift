import Verdicts
import Exports

/// What a command has found, as far as a format may ask for it.
struct Report {
  let document: Document
  /// The same as a page, where that says more.
  var page: Document?
  let json: () throws -> String
  var csv: () throws -> String = { "" }
  /// For GitHub Actions.
  var annotations: () -> String = { "" }
  /// As a file of another tool.
  var export: (ExportFormat) throws -> String = { _ in "" }
}

/// A way to tell on standard output what was found. Whoever adds one adds a row.
struct ReportFormat: Sendable {
  let name: String
  /// Those that have what it tells.
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

  /// What a command can print, its usual format first.
  static func all(of command: Subcommand) -> [ReportFormat] { all.filter { $0.commands.contains(command) } }

  static func option(_ command: Subcommand) -> Option {
    let names = all(of: command).map(\.name)
    return Option(
      "--format", "FORMAT", "\(names.alternatives) on standard output (\(names[0]))", words: names)
  }
}

extension ReportFormat {
  /// What the user asks for, or the usual one.
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
