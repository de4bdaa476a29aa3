import Results

/// The report for a terminal, at most 80 columns wide.
public enum TextReport {
  public static let width = 80

  /// - Parameters:
  ///   - usesColour: adds ANSI escapes, which take no columns.
  ///   - width: columns that there are; with more than 80 the bars are longer.
  public static func text(
    _ analysis: RunAnalysis, context: ReportContext = ReportContext(), usesColour: Bool = false,
    width: Int = TextReport.width
  ) -> String {
    let ink = Ink(isOn: usesColour)
    var blocks: [[String]] = []
    let warnings = ReportNotes.warnings(context)
    if !warnings.isEmpty {
      blocks.append(warnings.flatMap { wrap("WARNING: " + $0, indent: 2).map(ink.red) })
    }
    blocks.append(headline(analysis))
    blocks += tables(analysis, usesColour: usesColour, width: width)
    let growth = GrowthText(report: analysis.growth, ink: ink)
    blocks += growth.tables
    if !growth.sentences.isEmpty { blocks.append(growth.sentences) }
    blocks.append(closing(analysis, context, ink))
    return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// The lines that say in words what the tables amount to.
  public static func headline(_ analysis: RunAnalysis) -> [String] {
    wrap(Headline.sentences(analysis).joined(separator: " "))
  }

  /// The lines of each scenario's table.
  public static func tables(
    _ analysis: RunAnalysis, usesColour: Bool = false, width: Int = TextReport.width
  ) -> [[String]] {
    analysis.scenarios.map {
      TextTable(scenario: $0, ink: Ink(isOn: usesColour), width: max(width, TextReport.width)).lines
    }
  }

  private static func closing(_ analysis: RunAnalysis, _ context: ReportContext, _ ink: Ink) -> [String] {
    let reference = analysis.reference
    var lines = [ink.bold("How to read")]
    lines += wrap(
      "  time      median per \(analysis.unit), or of the whole where the scenario ends without a post",
      indent: 12)
    if !analysis.scenarios.allSatisfy({ $0.showsStopping || $0.showsProcess || $0.showsPostsBefore }) {
      lines += wrap(
        "  overhead  median of the paired differences to \(reference), on the same terms", indent: 12)
    }
    lines += wrap(
      "  ratio     median of the paired ratios to \(reference), with the interval that goes with the verdict over all cells (Holm, 5 %); = : proved to lie within \(NumberText.percent(analysis.equivalenceMargin)) of 1, and not to differ from it; ? : neither is proved; unresolved: too few rounds for an interval (\(analysis.fewestPairs) are enough), or too disturbed",
      indent: 12)
    lines += wrap(
      "  bar       the ratio, drawn from 0; half dark within its interval, and pale where there is none",
      indent: 12)
    if analysis.summaries.contains(where: { $0.efficiency != nil }) {
      lines += wrap("  effic.    ideal ÷ measured: 1 = as fast as the service permits", indent: 12)
    }
    if analysis.scenarios.contains(where: \.showsMemory) {
      lines += wrap(
        "  memory    peak resident memory of the whole process ÷ units: at most what one takes", indent: 12)
    }
    if analysis.scenarios.contains(where: \.showsThroughput) {
      lines += wrap("  MiB/s     the post's bytes ÷ its median time", indent: 12)
    }
    if analysis.scenarios.contains(where: \.showsPostsBefore) {
      lines += wrap(
        "  before    how many of the posts of low priority ended before the one that is timed, as a whole",
        indent: 12)
    }
    if analysis.hasExternalBaseline {
      lines += wrap(
        "  cp        the same files copied by the system's cp in the same rounds: no contender", indent: 12)
    }
    if analysis.scenarios.contains(where: \.showsStopping) {
      lines += wrap(
        "  reported  from the first failure, the cancel or the deadline to the caller's completion",
        indent: 12)
      lines += wrap("  stopped   from the same moment until nothing of the job was left", indent: 12)
      lines += wrap("  late      uploads that started after it, per post", indent: 12)
      lines += wrap("  wasted    bytes that arrived whole and no post came of them, per post", indent: 12)
    }
    if analysis.scenarios.contains(where: \.showsProcess) {
      lines += wrap("  threads   most threads of the process at once", indent: 12)
      lines += wrap(
        "  heartbeat how late a task of the idiom, due every millisecond, came meanwhile at worst", indent: 12
      )
    }
    lines += GrowthText.closing(analysis.growth).flatMap { wrap($0, indent: 12) }
    lines +=
      wrap(
        "  rank      contenders that the run does not tell apart share one; \"first\" below a table: how probably each is first",
        indent: 12) + [""]
    lines += ReportNotes.leftOut(analysis, context).flatMap { wrap($0, indent: 2) }
    let machine = ReportNotes.machine(context.environment)
    if !machine.isEmpty { lines += wrap(machine, indent: 2) }
    lines += ReportNotes.machines(context.environment).flatMap { wrap("  " + $0, indent: 4) }
    if !context.nextSteps.isEmpty {
      // Commands stay whole, so that they can be copied.
      lines += ["", ink.bold("Next")] + context.nextSteps.map { "  " + $0 }
    }
    return lines
  }

  /// Breaks at spaces, but not between a number and its unit; a word that is longer than a line is cut into pieces.
  ///
  /// - Parameter indent: of every line but the first, which brings its own spaces.
  public static func wrap(_ text: String, indent: Int = 0) -> [String] {
    var lines: [String] = []
    var line = ""
    var isStart = true
    for word in words(of: text) {
      var rest = Substring(word)
      if !isStart, line.count + 1 + rest.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isStart = true
        if rest.isEmpty { continue }
      }
      if !isStart { line += " " }
      while line.count + rest.count > width {
        let room = width - line.count
        lines.append(line + rest.prefix(room))
        rest = rest.dropFirst(room)
        line = String(repeating: " ", count: indent)
      }
      line += rest
      isStart = false
    }
    return lines + [line]
  }

  /// What no line is broken within: a word, or a number with what it counts.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !word.isEmpty, let last = words.last, isNumber(last) {
        words[words.count - 1] += " " + word
      } else {
        words.append(String(word))
      }
    }
    return words
  }

  /// Such as `±`, `+3.0` or `(12`, but not `1,`, `25.` or `0-3`.
  private static func isNumber(_ word: String) -> Bool {
    let digits = word.drop { "([±+-×>< ".contains($0) }
    return !word.isEmpty && word != "-" && word.last != "."
      && digits.allSatisfy { $0.isNumber || $0 == "." || $0 == " " }
  }
}
