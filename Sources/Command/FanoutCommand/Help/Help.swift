import Harness
import Results
import Verdicts

enum Help {
  /// The word that, after `--help`, shows every option.
  static let all = "all"

  static func print(_ command: Subcommand?, _ known: ContenderList, isWhole: Bool = false) -> ExitCode {
    let width = min(Terminal.tableWidth, TextWrap.width)
    Terminal.print(
      command.map { text($0, isWhole: isWhole, width: width) } ?? overview(known, width: width))
    return .fine
  }

  static func overview(_ known: ContenderList, width: Int = TextWrap.width) -> String {
    let purpose =
      known.isSuite
      ? "Benchmarks of this package: measured, recorded, and checked against other builds."
      : "Ways to write concurrent Swift, measured on the same fan-out/fan-in upload."
    return """
      \(paragraph(purpose, width))

      usage: \(CommandName.current) [COMMAND] [OPTIONS]

      commands:
      \(table(Subcommand.visible(known).map { ($0.name, $0.summary) }, width))

      \(paragraph("Without a command: \(Subcommand.run.rawValue). `\(CommandName.current) help COMMAND` lists a command's options, and `\(CommandName.current) --version` names this build.", width))

      exit codes:
      \(table(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }, width))

      """
  }

  static func text(_ command: Subcommand, isWhole: Bool = false, width: Int = TextWrap.width) -> String {
    let groups = groups(of: command, isWhole: isWhole).map {
      "\($0.title):\n\(table($0.options.map { ($0.usage, $0.summary) }, width))"
    }
    let start = [paragraph(command.summary, width), "usage: \(usage(of: command))"]
    var notes = notes(on: command).map { paragraph($0, width) }
    let hidden = isWhole ? 0 : command.options.count(where: { command.seldom.contains($0.name) })
    if hidden > 0 {
      notes.append(
        paragraph(
          "`\(CommandName.current) \(command.name) --help \(all)` shows \(hidden) more options.", width)
      )
    }
    if command == .verify {
      let codes: [ExitCode] = [.fine, .usage, .contenderFailed, .cannotReadOrWrite, .inconclusive]
      notes.append("exit codes:\n\(table(codes.map { (String($0.rawValue), $0.meaning) }, width))")
    }
    return (start + groups + notes).joined(separator: "\n\n") + "\n"
  }

  static func usage(of command: Subcommand) -> String {
    let options = groups(of: command).isEmpty ? [] : ["[OPTIONS]"]
    return ([CommandName.current, command.name] + command.operands + options).joined(separator: " ")
  }

  /// The options under their headings, without rarely used ones unless `isWhole`.
  static func groups(of command: Subcommand, isWhole: Bool = true) -> [(title: String, options: [Option])] {
    command.optionGroups.map { title, options in
      (title, options.filter { isWhole || !command.seldom.contains($0.name) })
    }.filter { !$0.options.isEmpty }
  }

  /// Explains the help's placeholders, such as `RUN` and `TIME`.
  static func notes(on command: Subcommand) -> [String] {
    let runs = command.operands.filter { Offer(operand: $0) == .folders }
    let takesTimes = command.options.contains { $0.value?.hasSuffix("TIME") ?? false }
    return [
      runs.isEmpty
        ? nil
        : "\(runs.joined(separator: ", ")): \(runs.count > 1 ? "folders of recorded runs" : "the folder of a recorded run"), such as results/latest.",
      takesTimes ? "TIME: such as 500us, 20ms, 30s, 2m or 1h; a number alone is seconds." : nil,
    ].compactMap(\.self)
  }

  private static let widestName = 24

  private static func table(_ rows: [(String, String)], _ width: Int) -> String {
    let names = min(rows.map(\.0.count).max() ?? 0, widestName)
    return rows.flatMap { name, summary in
      let gap = String(repeating: " ", count: max(0, names - name.count))
      return TextWrap.lines("  \(name)\(gap)  \(summary)", indent: names + 4, width: width)
    }.joined(separator: "\n")
  }

  private static func paragraph(_ text: String, _ width: Int) -> String {
    TextWrap.lines(text, width: width).joined(separator: "\n")
  }
}

enum HelpCommand {
  static let operand = "[COMMAND]"

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: [], operands: arguments.isEmpty ? [] : [operand])
    return Help.print(try options.operands.first.map { try Subcommand.named($0, among: known) }, known)
  }
}

/// The output of `--version`, with a remark if the build is older than its sources.
enum VersionText {
  /// The latest release in CHANGELOG.md.
  static let release = "1.0.0"

  static func print() -> ExitCode {
    Terminal.print(text(of: Environment.build(), remark: BuildAge.remark))
    return .fine
  }

  static func text(of build: EnvironmentRecord, remark: String?) -> String {
    let commit =
      build.commit.map { "commit \($0.prefix(12))\(build.isDirty == true ? " + changes" : "")" }
      ?? "unknown commit"
    return [
      "\(CommandName.current), Fanout \(release), \(commit), \(build.buildConfiguration) build",
      build.toolchain ?? "unknown toolchain", remark,
    ].compactMap(\.self).joined(separator: "\n") + "\n"
  }
}
