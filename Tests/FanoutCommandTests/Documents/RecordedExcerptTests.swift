import Verdicts
import Foundation
import Results
import Synchronization
import TestSupport
import Testing

@testable import FanoutCommand

/// What the pages quote of the committed runs is what those say. One after another, since they share what was judged.
@Suite(.ownThread(minutes: 10), .serialized) struct RecordedExcerptTests {
  /// A table of a run begins with its scenario and how many rounds it had.
  private static func isTable(_ block: String) -> Bool {
    block.prefixMatch(of: /[a-z][a-z0-9-]+: (.|\n)*? rounds\b/) != nil
  }

  /// Each run is judged once: in a build for tests that takes many times as long as in an optimised one.
  private static let judged = Mutex<[String: Judged]>([:])

  private struct Judged: Sendable {
    let screen: String
    let report: String
    let answer: String?
    /// In how many of its cells an account explains how much.
    let coverage: String?
    let samples: [Sample]
  }

  private static func recorded(_ run: String) throws -> Judged {
    try judged.withLock { judged in
      if let known = judged[run] { return known }
      let path = Page.root.appendingPathComponent("results/\(run)").path
      let (directory, environment, recorded) = try RecordedRun.whole(path)
      let reporting = try ReportCommand.report(directory, environment, recorded)
      let table = ReportFormat.all(of: .report)[0]
      let texts = try [false, true].map { try reporting.text(table, showsDetails: $0, nextSteps: []) }
      let answer = try reporting.analysis.answer(ReportContext(environment: environment))?.json()
      let found = Judged(
        screen: texts[0], report: texts[1], answer: answer,
        coverage: CostModel(reporting.analysis, environment)?.coverage, samples: recorded.samples)
      judged[run] = found
      return found
    }
  }

  /// The README shows the reference run's answer, without the commands below it, and a terminal shows it whole.
  @Test func theAnswerOfTheReadmeIsTheReferenceRuns() throws {
    let page = Page("README.md")
    let paragraphs = try Self.recorded("reference").screen.components(separatedBy: "\n\n")
    let right = paragraphs.dropLast().joined(separator: "\n\n")
    try page.update(page.fenced("answer"), with: right)
    let answer = try page.fenced("answer")
    #expect(answer == right, "the run says:\n\(right)")
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 50 && lines.allSatisfy { $0.count <= 80 })
  }

  @Test func whatAccountsExplainIsTheReferenceRuns() throws {
    let right = try #require(try Self.recorded("reference").coverage)
    let isSaid = try Page("Documentation/Judging.md").prose().contains("*\(right)*")
    #expect(isSaid, "the run says: \(right)")
  }

  /// What the page of a run has as its headline and its first charts.
  @Test(arguments: ["reference", "reference-variants"].prefix(Effort.count(1, thorough: 2)))
  func theAnswerThatIsRecordedIsTheRuns(run: String) throws {
    let file = Page.root.appendingPathComponent("results/\(run)/answer.json")
    let right = try #require(try Self.recorded(run).answer)
    if GoldenFile.areUpdated { try Data(right.utf8).write(to: file) }
    #expect(try String(contentsOf: file, encoding: .utf8) == right)
  }

  @Test(
    arguments: [
      ("Documentation/Guide.md", ["reference", "reference-runtimes"], 5),
      ("Documentation/Rivals.md", ["reference-runtimes"], 3),
    ].prefix(Effort.count(1, thorough: 2)))
  func everyTableThatAPageQuotesIsWhatARunSays(page: String, runs: [String], count: Int) throws {
    let reports = try runs.map { try Self.recorded($0).report }
    func said(_ table: String) -> String? {
      let name = table.prefix { $0 != ":" }
      return reports.flatMap { $0.components(separatedBy: "\n\n") }.first { $0.hasPrefix("\(name):") }
    }
    for table in try Page(page).blocks().filter(Self.isTable) {
      if let said = said(table) { try Page(page).update(Page.indented(table), with: Page.indented(said)) }
    }
    let tables = try Page(page).blocks().filter(Self.isTable)
    #expect(tables.count >= count)
    for table in tables {
      let isSaid = reports.contains { $0.contains(table + "\n") }
      #expect(isSaid, "the run says:\n\(said(table) ?? "nothing of it")")
    }
  }

  @Test func theGuideCountsTheOperationsOfTheRuntimes() throws {
    let operations = Set(try Self.recorded("reference-runtimes").samples.map(\.scenario))
    let count = DocumentedNumberTests.word(operations.count)
    let isCounted = try Page("Documentation/Guide.md").prose()
      .contains("One of \(count) in [`results/reference-runtimes`]")
    #expect(isCounted, "there are \(count)")
  }
}
