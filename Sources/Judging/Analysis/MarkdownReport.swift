import Results

/// The report for a pull request, a job summary or summary.md.
public enum MarkdownReport {
  public static func text(_ analysis: RunAnalysis, context: ReportContext = ReportContext()) -> String {
    var blocks = ["## \(escaped(analysis.run))"]
    blocks += ReportNotes.warnings(context).map { "> **Warning:** \(escaped($0))" }
    blocks.append(escaped(Headline.sentences(analysis).joined(separator: " ")))
    blocks += analysis.scenarios.map { table($0, analysis) }
    blocks += GrowthMarkdown.blocks(analysis.growth)
    blocks.append(closing(analysis, context))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func table(_ scenario: ScenarioReport, _ analysis: RunAnalysis) -> String {
    let header =
      [
        "Contender", scenario.timeTitle.prefix(1).uppercased() + scenario.timeTitle.dropFirst(), "Overhead",
        "vs `\(analysis.reference)` (interval)", "p90", "Cold", "Efficiency", "Allocs/\(scenario.unit)",
        "Lines",
        "Rank",
        "Verdict",
      ] + special(scenario).map(\.title)
    let rows =
      scenario.cells.map { row($0, in: scenario, margin: analysis.equivalenceMargin) }
      + scenario.missing.map { missingRow($0, columns: header.count) }
    let lines = [header, [":---"] + header.dropFirst().map { $0 == "Verdict" ? ":---" : "---:" }] + rows
    return "### \(scenario.place): \(scenario.subject), \(scenario.roundsText)\n\n"
      + lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private static func row(_ cell: CellReport, in scenario: ScenarioReport, margin: Double) -> [String] {
    let summary = cell.summary
    return [
      "`\(summary.contender)`", duration(scenario.timeNanoseconds(cell)),
      cell.comparison == nil ? "" : duration(scenario.overheadNanoseconds(cell), isSigned: true), ratio(cell),
      duration(summary.p90Nanoseconds), duration(cell.coldNanoseconds),
      summary.efficiency.map(NumberText.ratio) ?? "",
      summary.allocationsPerUpload.map(NumberText.count) ?? "",
      summary.sourceLines.map(String.init) ?? "", rank(cell, in: scenario),
      verdict(cell, margin: margin),
    ] + special(scenario).map { $0.value(cell) }
  }

  /// The columns that only some scenarios have.
  private static func special(_ scenario: ScenarioReport) -> [(title: String, value: (CellReport) -> String)]
  {
    var columns: [(title: String, value: (CellReport) -> String)] = []
    if scenario.showsMemory {
      columns.append(
        ("Memory/\(scenario.unit)", { scenario.memoryBytes($0).map(NumberText.bytes) ?? "" }))
    }
    if scenario.showsThroughput {
      columns.append(("MiB/s", { $0.summary.bytesPerSecond.map(NumberText.mebibytes) ?? "" }))
    }
    if scenario.showsPostsBefore {
      columns.append(("Before", { $0.summary.postsBefore.map(NumberText.whole) ?? "" }))
    }
    if scenario.showsStopping {
      columns += [
        ("Reported", { duration($0.summary.failureToCompletionNanoseconds) }),
        ("Stopped", { duration($0.summary.failureToStopNanoseconds) }),
        ("Late starts", { $0.summary.startsAfterFailure.map(NumberText.whole) ?? "" }),
        ("Wasted", { $0.summary.wastedBytes.map(NumberText.bytes) ?? "" }),
      ]
    }
    if scenario.showsProcess {
      columns += [
        ("Threads", { $0.summary.peakThreads.map(String.init) ?? "" }),
        ("Heartbeat", { duration($0.summary.heartbeatWorstNanoseconds.map(Double.init)) }),
      ]
    }
    return columns
  }

  private static func missingRow(_ contender: String, columns: Int) -> [String] {
    ["`\(contender)`"] + [String](repeating: "", count: 9) + ["not measured"]
      + [String](repeating: "", count: columns - 11)
  }

  static func duration(_ nanoseconds: Double?, isSigned: Bool = false) -> String {
    guard let nanoseconds else { return "" }
    let text = NumberText.duration(nanoseconds, isSigned: isSigned)
    return text.hasSuffix(" ") ? String(text.dropLast()) : text
  }

  private static func ratio(_ cell: CellReport) -> String {
    guard let ratio = cell.summary.ratio.map(NumberText.ratio) else { return "" }
    guard let low = cell.summary.ratioLow, let high = cell.summary.ratioHigh else { return ratio }
    return "\(ratio) [\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
  }

  /// Such as `2`, or `1 (first with 62 %)` where several share the first rank.
  private static func rank(_ cell: CellReport, in scenario: ScenarioReport) -> String {
    guard let group = cell.summary.rankGroup else { return "" }
    let first = scenario.firstRank.first { $0.contender == cell.summary.contender }
    return "\(group)" + (first.map { " (first with \(NumberText.wholePercent($0.probability)))" } ?? "")
  }

  private static func verdict(_ cell: CellReport, margin: Double) -> String {
    if let explanation = cell.explanation { return "**" + escaped(explanation) + "**" }
    guard let verdict = cell.summary.verdict else {
      return switch cell.standing {
      case .reference: "reference"
      case .externalBaseline: "yardstick, not ranked"
      case .compared, .notCompared: "not compared"
      }
    }
    return switch verdict {
    case .equivalent: "equivalent"
    case .faster, .slower:
      verdict.rawValue
        + (cell.summary.isWithinMargin == true ? ", by less than \(NumberText.percent(margin))" : "")
    case .unresolved:
      if let reason = cell.summary.unresolvedReason {
        "unresolved: \(reason)"
      } else if let rounds = cell.summary.roundsToResolve {
        "unresolved, \(CellReport.roundsText(rounds)) rounds would tell"
      } else {
        "unresolved"
      }
    }
  }

  private static func closing(_ analysis: RunAnalysis, _ context: ReportContext) -> String {
    let reference = "`\(analysis.reference)`"
    var lines = [
      "*Time*: median per \(analysis.unit), or of the whole where the scenario ends without a post. *Overhead*: median of the "
        + "paired differences to \(reference), on the same terms. *vs \(reference)*: median of the paired ratios, with "
        + "the exact interval that goes with the verdict over all cells (Holm, 5 %); none where the rounds are too few. "
        + "*Equivalent*: proved to lie within \(NumberText.percent(analysis.equivalenceMargin)), and not proved to differ. "
        + "*Unresolved*: neither; the rounds that would tell are an estimate. "
        + "*p90*: of whole posts. *Cold*: median of the first samples of fresh processes, per post. *Efficiency*: ideal ÷ "
        + "measured. *Rank*: contenders that the run does not tell apart share one; where several share the first, how "
        + "probably each is first."
    ]
    if analysis.scenarios.contains(where: \.showsThroughput) {
      lines.append("*MiB/s*: the post's bytes ÷ its median time.")
    }
    if analysis.scenarios.contains(where: \.showsPostsBefore) {
      lines.append(
        "*Before*: how many of the posts of low priority ended before the one that is timed, as a whole.")
    }
    if analysis.hasExternalBaseline {
      lines.append("`cp`: the same files copied by the system's `cp` in the same rounds; no contender.")
    }
    if analysis.scenarios.contains(where: \.showsStopping) {
      lines.append(
        "*Reported*: from the first failure, the cancel or the deadline to the caller's completion. *Stopped*: from the "
          + "same moment until nothing of the job was left. *Late starts*: uploads that started after it. *Wasted*: "
          + "bytes that arrived whole and no post came of them. Both per post.")
    }
    if analysis.scenarios.contains(where: \.showsProcess) {
      lines.append(
        "*Threads*: most threads of the process at once. *Heartbeat*: how late a task of the idiom, due every "
          + "millisecond, came meanwhile at worst.")
    }
    lines += ReportNotes.leftOut(analysis, context).map(escaped)
    let machine = ReportNotes.machine(context.environment)
    if !machine.isEmpty { lines.append(escaped(machine)) }
    lines += ReportNotes.machines(context.environment).map(escaped)
    if let command = context.environment?.commandLine, !command.isEmpty {
      lines.append("Command: " + code(command.joined(separator: " ")))
    }
    return
      (["<details><summary>How to read, what was left out, where it was measured</summary>"] + lines
      + ["</details>"]).joined(separator: "\n\n")
  }

  /// Text of unknown origin, safe in a table cell.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\", "|", "`", "*", "_", "[", "]": result += "\\\(character)"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case _ where character.isNewline: result += " "
      default: result.append(character)
      }
    }
    return result
  }

  /// Text as code; a backtick inside would end it.
  private static func code(_ text: String) -> String {
    "`" + SafeText.visible(text.replacing("`", with: "'").replacing("\n", with: " ")) + "`"
  }
}
