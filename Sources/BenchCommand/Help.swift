/// `--help`, from the same tables that the parser reads.
enum Help {
  static func print(_ command: Subcommand?, _ known: ContenderList) -> ExitCode {
    Terminal.print(command.map(text) ?? overview(known))
    return .fine
  }

  static func overview(_ known: ContenderList) -> String {
    """
    Ways to write concurrent Swift, measured on the same fan-out/fan-in upload.

    usage: \(CommandName.current) [COMMAND] [OPTIONS]

    commands:
    \(table(Subcommand.visible(known).map { ($0.rawValue, $0.summary) }))

    Without a command: run. `\(CommandName.current) COMMAND --help` lists a command's options.

    exit codes: 0 fine · 1 usage or internal error · 2 regression · 3 a contender failed, hung or was wrong ·
    5 nothing to compare with · 6 a file cannot be read or written · 7 inconclusive · 130 interrupted ·
    143 terminated

    """
  }

  static func text(_ command: Subcommand) -> String {
    """
    \(command.summary)

    usage: \(([CommandName.current, command.rawValue] + command.operands + ["[OPTIONS]"]).joined(separator: " "))

    \(command.optionGroups.map { "\($0.title):\n\(table($0.options.map { ($0.usage, $0.summary) }))" }.joined(separator: "\n\n"))

    """
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, summary in
      "  \(name)\(String(repeating: " ", count: width - name.count))  \(summary)"
    }.joined(separator: "\n")
  }
}
