import Analysis
import Foundation
import Results
import Testing

@testable import BenchCommand

/// What the pages quote of the committed runs is what those say.
@Suite struct RecordedExcerptTests {
  /// A table of a run begins with its scenario and how many rounds it had.
  private static func isTable(_ block: String) -> Bool {
    block.prefixMatch(of: /[a-z][a-z0-9-]+: (.|\n)*? rounds\b/) != nil
  }

  @Test func whatTheReadmeQuotesIsWhatTheReferenceRunSays() throws {
    let path = Page.root.appendingPathComponent("results/reference").path
    let (directory, environment, recorded) = try RecordedRun.whole(path)
    let report = try ReportCommand.report(directory, environment, recorded)
      .text(.report(.table), nextSteps: [])
    let blocks = try Page("README.md").blocks()
    let headline = try #require(report.split(separator: "\n\n").first.map(String.init))
    #expect(blocks.contains(headline))
    let tables = blocks.filter(Self.isTable).filter { !$0.contains("\n  reference ") }
    #expect(tables.count >= 6)
    for table in tables { #expect(report.contains(table + "\n")) }
    let commit = try #require(environment.commit?.prefix(12))
    #expect(try Page("README.md").text().contains("commit `\(commit)`"))
  }
}
