import Foundation

/// The manual's page, in the macros of man(7), from the same tables as `--help`.
struct Manual {
  let program: String
  let commands: [Subcommand]
  let date: Date
  var isSuite = false

  var text: String {
    let lines =
      heading + [".SH COMMANDS"] + commands.flatMap(block)
      + [".SH EXIT STATUS"] + ExitCode.allCases.flatMap { tagged(Roff.bold("\($0.rawValue)"), $0.meaning) }
      + [".SH FILES"] + files + [".SH ENVIRONMENT"] + environment + [".SH EXAMPLES"] + examples
    return Roff.folded(lines).joined(separator: "\n") + "\n"
  }

  private var heading: [String] {
    let day = date.formatted(.iso8601.year().month().day())
    return [
      ".TH \(Roff.argument(program.uppercased())) 1 \(day) Fanout",
      // A command must not be broken where a copy of it would be.
      ".nh", ".ad l", ".SH NAME", "\(Roff.text(program)) \\- \(Roff.text(Help.purpose(isSuite: isSuite)))",
      ".SH SYNOPSIS", "\(Roff.bold(program)) [\(Roff.italic("COMMAND"))] [\(Roff.italic("OPTIONS"))]",
      ".SH DESCRIPTION",
      Roff.text(
        isSuite
          ? "Each benchmark is done in a process of its own, again and again. What it returns is checked, and what it costs is measured, recorded and compared."
          : "Several contenders, each in an idiom of its own, upload a post's photos and videos at once, wait for all, then create the post. Whatever they do wrong is found, and what they cost is measured, recorded and compared."
      ),
      ".PP", Roff.text(Help.usualCommand),
    ]
  }

  private func block(_ command: Subcommand) -> [String] {
    let groups = Help.groups(of: command)
    let name = command.name
    var words = [Roff.bold("\(program) \(name)")] + command.operands.map(Roff.italic)
    if !groups.isEmpty { words.append("[\(Roff.italic("OPTIONS"))]") }
    var lines = [
      ".SS \(Roff.argument(name))", words.joined(separator: " "), ".PP", sentence(command.summary) + ".",
    ]
    for group in groups {
      if groups.count > 1 { lines += [".PP", sentence(group.title) + ":"] }
      lines += group.options.flatMap { option in
        let value = option.value.map { " " + Roff.italic(option.usually == nil ? $0 : "[\($0)]") } ?? ""
        return tagged(Roff.bold(option.name) + value, option.summary)
      }
    }
    return lines
  }

  /// A text that begins with a capital letter.
  private func sentence(_ text: String) -> String {
    Roff.text(text.prefix(1).uppercased() + text.dropFirst())
  }

  private func tagged(_ tag: String, _ text: String) -> [String] { [".TP", tag, Roff.text(text)] }

  private var files: [String] {
    tagged(
      Roff.italic("results/RUN/"),
      "One run: samples.csv, summary.csv, environment.json, summary.md. results/README.md says what each column means."
    ) + tagged(Roff.italic("results/latest"), "The newest run, a link.")
  }

  private var environment: [String] {
    tagged(Roff.bold("NO_COLOR"), "No colour, even on a terminal, if it is not empty.")
      + tagged(Roff.bold("TERM"), "No colour either if it is dumb.")
  }

  private var examples: [String] {
    [
      ("The comparison, in about a minute:", ""),
      ("One scenario, three contenders:", "run --patterns race --contenders callbacks,futures,coroutines"),
      ("Whether this build costs more than the commit before:", "check --against HEAD~1"),
      (
        "What benchstat makes of the newest run:", "export results/latest --format benchstat --output now.txt"
      ),
    ].flatMap { words, arguments in
      tagged(Roff.text(words), arguments.isEmpty ? program : "\(program) \(arguments)")
    }
  }
}

/// Prints the manual's page, for `man -l` or a folder of `MANPATH`.
enum ManualCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    _ = try Options(arguments, known: [])
    let executable = WorkerCommand.executable.resolvingSymlinksInPath()
    let built = try? executable.resourceValues(forKeys: [.contentModificationDateKey])
    Terminal.print(
      Manual(
        program: CommandName.current, commands: Subcommand.visible(known),
        date: built?.contentModificationDate ?? Date(), isSuite: known.isSuite
      ).text)
    return .fine
  }
}

/// Text that means nothing but itself to a formatter of manual pages.
enum Roff {
  static func text(_ text: some StringProtocol) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "\n": " "
      case _ where scalar.isASCII: String(scalar)
      default: "\\[u\(String(format: "%04X", scalar.value))]"
      }
    }.joined()
    // A dot would begin a request.
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  /// Lines of text that are broken at spaces, as long ones are frowned upon, and after each sentence.
  static func folded(_ lines: [String]) -> [String] {
    lines.flatMap { line -> [String] in
      if line.hasPrefix(".") { return [line] }
      var folded: [String] = []
      for word in line.split(separator: " ", omittingEmptySubsequences: false) {
        if let last = folded.last, last.utf8.count + 1 + word.utf8.count <= longestLine, !last.hasSuffix(".")
        {
          folded[folded.count - 1] = "\(last) \(word)"
        } else {
          folded.append(word.hasPrefix(".") ? "\\&\(word)" : String(word))
        }
      }
      return folded
    }
  }

  private static let longestLine = 80

  static func bold(_ text: String) -> String { "\\fB\(Self.text(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(Self.text(text))\\fR" }

  /// One argument of a request, with whatever spaces.
  static func argument(_ text: String) -> String {
    "\"\(Self.text(text).replacing("\"", with: "\\(dq"))\""
  }
}
