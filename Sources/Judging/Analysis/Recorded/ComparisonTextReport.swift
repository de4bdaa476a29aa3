import Foundation
import Results

/// A comparison of two recorded runs for a terminal, at most 80 columns wide.
public enum ComparisonTextReport {
  public static func text(_ comparison: RecordedComparison, usesColour: Bool = false) -> String {
    let ink = Ink(isOn: usesColour)
    let report = CheckReport(comparison, isGate: false)
    var blocks = [TextReport.wrap(report.headline) + [""] + sides(comparison)]
    blocks += comparison.scenarios.map { table($0, ink) }
    let left = NotCompared.sentences(comparison.notCompared, of: comparison.keys)
    blocks += [
      section("Not compared", left, ink),
      section("Mind", comparison.sameRun + comparison.differences.map(\.text), ink),
      section("How to read", comparison.reading, ink),
    ]
    return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static func sides(_ comparison: RecordedComparison) -> [String] {
    let sides = [("base", comparison.base), ("candidate", comparison.candidate)]
    return sides.flatMap { word, run in
      TextReport.wrap(
        "  \(word)\(String(repeating: " ", count: 11 - word.count))\(run.description)", indent: 13)
    }
  }

  private static func section(_ title: String, _ sentences: [String], _ ink: Ink) -> [String] {
    sentences.isEmpty
      ? [] : [ink.bold(title)] + sentences.flatMap { TextReport.wrap("  " + $0, indent: 4) }
  }

  private static func table(_ scenario: RecordedScenario, _ ink: Ink) -> [String] {
    let itself = scenario.referenceRatio.map {
      " (\(scenario.reference) itself \(CheckReport.percent($0 - 1, isSigned: true)))"
    }
    let title = TextReport.wrap("\(scenario.name)\(itself ?? "")", indent: 2).map(ink.bold)
    let header = line("contender", "base", "now", "change [interval]", "")
    let hasRows =
      !scenario.cells.isEmpty || !scenario.failed.isEmpty
      || scenario.counts.contains { $0.state != .unchanged }
    return title + (hasRows ? [ink.dim(header)] : [])
      + scenario.cells.map { cell in
        line(
          cell.key.contender, NumberText.ratio(cell.baseRatio), NumberText.ratio(cell.candidateRatio),
          cell.change, ink.painted(cell.state))
      }
      + scenario.failed.flatMap { row in
        [line(row.key.contender, "", "", "", ink.painted(row.state))]
          + TextReport.wrap("      " + (row.reason ?? ""), indent: 6)
      } + counts(scenario, ink)
  }

  /// Exact counts, which are no ratios; those that did not change in one line.
  private static func counts(_ scenario: RecordedScenario, _ ink: Ink) -> [String] {
    let changed = scenario.counts.filter { $0.state != .unchanged }
    let same = scenario.counts.count - changed.count
    return changed.map { row in
      let (base, now) = (row.numbers.base ?? 0, row.numbers.candidate ?? 0)
      let sign = now > base ? "+" : ""
      return line(
        row.key.contender, NumberText.whole(base), NumberText.whole(now),
        "\(sign)\(NumberText.whole(now - base)) \((row.quantity ?? "").replacing(" per post", with: "/post"))",
        ink.painted(row.state))
    }
      + (same == 0
        ? [] : ["  " + ink.dim("\(Plural.counted(same, "exact count")) per post: unchanged")])
  }

  private static func line(
    _ name: String, _ base: String, _ now: String, _ change: String, _ state: String
  ) -> String {
    func right(_ text: String) -> String { String(repeating: " ", count: max(0, 8 - text.count)) + text }
    let start = [name.count > 18 ? "  \(name)\n" + padded("", 20) : "  " + padded(name, 18)]
    let text = (start + [right(base), right(now), "  ", padded(change, 28), state]).joined()
    return String(text.reversed().drop { $0 == " " }.reversed())
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}

extension RecordedRun: CustomStringConvertible {
  /// Its name, and where it comes from, in one line.
  public var description: String {
    let generations =
      Dictionary(grouping: cells.values, by: \.key.place).values.map { cells in
        Set(cells.flatMap { $0.counted.map { [$0.run, "\($0.generation)"] } }).count
      }.max() ?? 0
    let commit = environment.commit.map {
      "commit \(SafeText.neutralised(String($0.prefix(12))))"
        + (environment.isDirty == true ? " + changes" : "")
    }
    return
      ([
        path, commit ?? "no commit",
        environment.startedAt.formatted(.iso8601).prefix(16).replacing("T", with: " ") + " UTC",
      ]
      + [Plural.counted(generations, "generation")]).joined(separator: ", ")
  }
}
