import Foundation
import Registry
import TestSupport
import Testing

@testable import Results
@testable import Verdicts

/// The table of Documentation/Textbook.md is what the shapes say they break, and what its run holds: each contender's time as a multiple
/// of its shape's.
@Suite(.ownThread) struct TextbookTableTests {
  private static let run = "results/reference-textbook"

  /// Each shape, its contender, and what it is measured in beside the five columns of the others, if that differs.
  private static let pairs: [(shape: String, contender: String, scenarios: [String]?)] = [
    ("dispatch-group", "gcd-groups", nil), ("closure-task", "closure-tasks", nil),
    ("operation", "operations", nil), ("task-group", "swift-concurrency", nil),
    ("async-let", "swift-concurrency", ["zip-instant-3"]),
    ("serial-await", "swift-concurrency", ["zip-serial-latency-3"]), ("zip", "reactive-streams", nil),
    ("bridge", "reactive-streams", nil), ("coroutine", "coroutines", nil),
  ]
  private static let publishes =
    [1, 100, 1_000, 10_000].map { "publish-instant-\($0)" } + ["publish-latency-100"]

  @Test func `each ratio is that of a contender to its shape in the committed run`() throws {
    let page = Page("Documentation/Textbook.md")
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let samples = try CSVReader<Sample>(Page.root.appending(path: "\(Self.run)/samples.csv").path).rest()
    for pair in Self.pairs {
      let row = try #require(
        lines.first { $0.hasPrefix("| `\(pair.shape)` | `\(pair.contender)` |") },
        "\(page) has no row of \(pair.shape)")
      let fields = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let right =
        "| "
        + (fields.prefix(2) + [Self.breaks(pair.shape)] + Self.ratios(of: pair, samples)).joined(
          separator: " | ")
        + " |"
      try page.update(row, with: right)
      let isRight = try page.text().contains(right)
      #expect(isRight, "\(page) should have: \(right)")
    }
  }

  /// The first rule of each requirement that the shape says it breaks, which `bench verify` holds it to.
  private static func breaks(_ shape: String) -> String {
    let broken = variants.first { $0.name == "textbook/\(shape)" }?.brokenRequirements ?? []
    return broken.map { "`\($0.rules[0])`" }.joined(separator: ", ")
  }

  private static func ratios(
    of pair: (shape: String, contender: String, scenarios: [String]?), _ samples: [Sample]
  ) -> [String] {
    let shape = "textbook/\(pair.shape)"
    let scenarios = pair.scenarios ?? publishes
    let analysis = RunAnalysis(
      run: "textbook",
      samples: samples.filter {
        [shape, pair.contender].contains($0.contender) && scenarios.contains($0.scenario)
      }, options: AnalysisOptions(reference: shape))
    let texts = scenarios.map { scenario -> String in
      let cell = analysis.summaries.first { $0.contender == pair.contender && $0.scenario == scenario }
      guard let cell, let ratio = cell.ratio, let low = cell.ratioLow, let high = cell.ratioHigh else {
        return "?"
      }
      return "\(NumberText.ratio(ratio)) [\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
    }
    return texts + Array(repeating: "–", count: publishes.count - texts.count)
  }
}
