import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ComparisonTextReportTests {
  static func comparison() throws -> RecordedComparison {
    var now = RecordedFixture.contenders + [.init(contender: "swift-concurrency/discarding", ratio: 3)]
    now[0].ratio = 2.6
    now[1].outcome = .wrong
    now[2].allocations = 104
    let samples = RecordedFixture.samples(now, seed: 2)
    return try RecordedFixture.comparison(
      RecordedFixture.run(
        "results/base",
        RecordedFixture.samples(
          RecordedFixture.contenders + [.init(contender: "swift-concurrency/discarding", ratio: 3)])),
      RecordedFixture.run(
        "results/now", samples,
        environment: RecordedFixture.environment {
          $0.startedAt += 3_600
          $0.toolchain = "Swift 6.4"
          $0.isDirty = true
        }))
  }

  /// Two generations, which are too few for times and enough for counts.
  private func withoutTimes() throws -> RecordedComparison {
    let samples = RecordedFixture.samples(generations: 2)
    return try RecordedFixture.comparison(
      RecordedFixture.run("base", samples), RecordedFixture.run("now", samples))
  }

  @Test func `the headline says why no time was compared`() throws {
    let comparison = try withoutTimes()
    let reason =
      "2 generations with undisturbed rounds in base, a verdict takes 3: record with --generations 6 and a longer --budget."
    #expect(
      CheckReport(comparison, isGate: false).headline
        == "12 counts against base: 12 unchanged. No time could be compared: \(reason)")
    #expect(CheckReport(try Self.comparison(), isGate: false).remark == nil)
    let text = comparison.document.text()
    // No head of a table that has no rows, and one sentence for all three.
    #expect(!text.contains("change [interval]"), "\(text)")
    #expect(text.contains("\nNot compared\n  a, b, c: 2 generations"), "\(text)")
  }

  @Test(
    arguments: [
      (0.9996, "0.0 %"), (1.026, "+2.6 %"), (0.995, "-0.5 %"), (1, "0.0 %"), (1.18, "+18 %"), (0.5, "-50 %"),
      (3, "+200 %"),
      (20, "×20.0"),
    ] as [(Double, String)])
  func `a change is a percentage, or a factor if large`(ratio: Double, text: String) {
    #expect(CheckRow.text(of: ratio) == text)
  }
}
