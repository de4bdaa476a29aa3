/// `--help`, from the same tables that the parser reads.
enum Help {
  static let purpose = "ways to write concurrent Swift, measured on the same fan-out/fan-in upload"

  static func print(_ command: Subcommand?, _ known: ContenderList) -> ExitCode {
    Terminal.print(command.map(text) ?? overview(known))
    return .fine
  }

  static func overview(_ known: ContenderList) -> String {
    """
    \(purpose.prefix(1).uppercased())\(purpose.dropFirst()).

    usage: \(CommandName.current) [COMMAND] [OPTIONS]

    commands:
    \(table(Subcommand.visible(known).map { ($0.rawValue, $0.summary) }))

    \(usualCommand) `\(CommandName.current) COMMAND --help` lists a command's options.

    exit codes:
    \(table(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }))

    """
  }

  static let usualCommand = "Without a command: \(Subcommand.run.rawValue)."

  static func text(_ command: Subcommand) -> String {
    let groups = groups(of: command).map {
      "\($0.title):\n\(table($0.options.map { ($0.usage, $0.summary) }))"
    }
    return ([command.summary, "usage: \(usage(of: command))"] + groups).joined(separator: "\n\n") + "\n"
  }

  static func usage(of command: Subcommand) -> String {
    let options = groups(of: command).isEmpty ? [] : ["[OPTIONS]"]
    return ([CommandName.current, command.rawValue] + command.operands + options).joined(separator: " ")
  }

  /// Those that have any option.
  static func groups(of command: Subcommand) -> [(title: String, options: [Option])] {
    command.optionGroups.filter { !$0.options.isEmpty }
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, summary in
      "  \(name)\(String(repeating: " ", count: width - name.count))  \(summary)"
    }.joined(separator: "\n")
  }
}
