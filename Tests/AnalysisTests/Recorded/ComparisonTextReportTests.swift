import Foundation
import Results
import Testing

@testable import Analysis

@Suite struct ComparisonTextReportTests {
  private func comparison() throws -> RecordedComparison {
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

  @Test func itReadsLikeThis() throws {
    try Golden.expect(ComparisonTextReport.text(try comparison()), equals: "comparison.txt")
  }

  @Test func theSameAsMarkdown() throws {
    let report = CheckReport(try comparison(), isGate: false)
    try Golden.expect(CheckMarkdownReport.text(report), equals: "comparison.md")
  }

  @Test func noLineIsWiderThanEightyColumns() throws {
    let lines = ComparisonTextReport.text(try comparison()).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
  }

  @Test(
    arguments: [
      (1.026, "+2.6 %"), (0.995, "-0.5 %"), (1, "0.0 %"), (1.18, "+18 %"), (0.5, "-50 %"), (3, "+200 %"),
      (20, "×20.0"),
    ] as [(Double, String)])
  func aChangeIsSaidAsPeopleSayIt(ratio: Double, text: String) {
    #expect(RecordedCell.text(of: ratio) == text)
  }
}
