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
    let hasHeadline = blocks.contains(headline)
    #expect(hasHeadline, "the run says:\n\(headline)")
    let tables = blocks.filter(Self.isTable).filter { !$0.contains("\n  reference ") }
    #expect(tables.count >= 6)
    for table in tables {
      let isSaid = report.contains(table + "\n")
      let name = table.prefix { $0 != ":" }
      let said = report.components(separatedBy: "\n\n").first { $0.hasPrefix("\(name):") }
      #expect(isSaid, "the run says:\n\(said ?? "nothing of \(name)")")
    }
  }

  /// A recorded run may call units and operations otherwise than a page does; names, rounds and figures are its own.
  @Test func whatTheReadmeQuotesOfTheRuntimesIsWhatTheirRunSays() throws {
    let run = Page.root.appendingPathComponent("results/reference-runtimes").path
    let (directory, environment, recorded) = try RecordedRun.whole(run)
    let report = try ReportCommand.report(directory, environment, recorded)
      .text(.report(.table), nextSteps: [])
    let tables = try Page("README.md").blocks().filter(Self.isTable).filter { $0.contains("\n  reference ") }
    #expect(!tables.isEmpty)
    let said = report.components(separatedBy: "\n\n").filter(Self.isTable).map(Self.figures)
    for table in tables {
      let figures = Self.figures(of: table)
      let isSaid = said.contains(figures)
      let right = said.first { $0[0].first == figures[0].first } ?? []
      #expect(
        isSaid, "the run says:\n\(right.map { $0.joined(separator: " ") }.joined(separator: "\n"))")
    }
    let count = DocumentedNumberTests.word(Set(recorded.samples.map(\.scenario)).count)
    #expect(try Page("README.md").prose().contains("One of \(count) in [`results/reference-runtimes`]"))
  }

  /// The operation's name, its rounds, and the words of each row.
  private static func figures(of table: String) -> [[Substring]] {
    let lines = table.split(separator: "\n")
    let head = lines.prefix { !$0.hasPrefix("  contender ") }.joined(separator: " ")
    let rounds = head.matches(of: /(\d+) rounds/).map { $0.output.1 }
    let rows = lines.drop { !$0.hasPrefix("  contender ") }.dropFirst()
    return [head.prefix { $0 != ":" }.split(separator: " ") + rounds] + rows.map { $0.split(separator: " ") }
  }
}
