import Verdicts
import Foundation
import Results
import Synchronization
import TestSupport
import Testing

@testable import BenchCommand

/// What the pages quote of the committed runs is what those say. One after another, since they share what was judged.
@Suite(.ownThread(minutes: 10), .serialized) struct RecordedExcerptTests {
  /// A table of a run begins with its scenario and how many rounds it had.
  private static func isTable(_ block: String) -> Bool {
    block.prefixMatch(of: /[a-z][a-z0-9-]+: (.|\n)*? rounds\b/) != nil
  }

  /// Each run is judged once: in a build for tests that takes many times as long as in an optimised one.
  private static let judged = Mutex<[String: (report: String, samples: [Sample])]>([:])

  private static func recorded(_ run: String) throws -> (report: String, samples: [Sample]) {
    try judged.withLock { judged in
      if let known = judged[run] { return known }
      let path = Page.root.appendingPathComponent("results/\(run)").path
      let (directory, environment, recorded) = try RecordedRun.whole(path)
      let report = try ReportCommand.report(directory, environment, recorded)
        .text(ReportFormat.all(of: .report)[0], nextSteps: [])
      judged[run] = (report, recorded.samples)
      return (report, recorded.samples)
    }
  }

  @Test func theHeadlineOfTheReadmeIsTheReferenceRuns() throws {
    let report = try Self.recorded("reference").report
    let headline = try #require(report.split(separator: "\n\n").first.map(String.init))
    let hasHeadline = try Page("README.md").blocks().contains(headline)
    #expect(hasHeadline, "the run says:\n\(headline)")
  }

  /// The rivals' run alone takes ten seconds to judge.
  @Test(
    arguments: [
      ("README.md", ["reference", "reference-runtimes"], 7),
      ("Documentation/Rivals.md", ["reference-runtimes", "reference-rivals"], 4),
    ].prefix(Effort.count(1, thorough: 2)))
  func everyTableThatAPageQuotesIsWhatARunSays(page: String, runs: [String], count: Int) throws {
    let reports = try runs.map { try Self.recorded($0).report }
    let tables = try Page(page).blocks().filter(Self.isTable)
    #expect(tables.count >= count)
    for table in tables {
      let isSaid = reports.contains { $0.contains(table + "\n") }
      let name = table.prefix { $0 != ":" }
      let said = reports.flatMap { $0.components(separatedBy: "\n\n") }.first { $0.hasPrefix("\(name):") }
      #expect(isSaid, "the run says:\n\(said ?? "nothing of \(name)")")
    }
  }

  @Test func theReadmeCountsTheOperationsOfTheRuntimes() throws {
    let operations = Set(try Self.recorded("reference-runtimes").samples.map(\.scenario))
    let count = DocumentedNumberTests.word(operations.count)
    #expect(try Page("README.md").prose().contains("One of \(count) in [`results/reference-runtimes`]"))
  }
}
