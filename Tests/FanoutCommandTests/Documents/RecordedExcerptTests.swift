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
      let found = Judged(screen: texts[0], report: texts[1], answer: answer)
      judged[run] = found
      return found
    }
  }

  /// Without the commands below it.
  @Test func `the README's answer is that of the reference run`() throws {
    let page = Page("README.md")
    let paragraphs = try Self.recorded("reference").screen.components(separatedBy: "\n\n")
    let right = paragraphs.dropLast().joined(separator: "\n\n")
    try page.update(page.fenced("answer"), with: right)
    let answer = try page.fenced("answer")
    #expect(answer == right, "the run says:\n\(right)")
  }

  /// What the page of a run has as its headline and its first charts.
  @Test(arguments: ["reference", "reference-variants"].prefix(Effort.count(1, thorough: 2)))
  func `a recorded answer is that of its run`(run: String) throws {
    let file = Page.root.appendingPathComponent("results/\(run)/answer.json")
    let right = try #require(try Self.recorded(run).answer)
    if GoldenFile.areUpdated { try Data(right.utf8).write(to: file) }
    #expect(try String(contentsOf: file, encoding: .utf8) == right)
  }

  /// The rivals' run alone takes ten seconds to judge.
  @Test(
    arguments: [
      ("Documentation/Guide.md", ["reference", "reference-runtimes"]),
      ("Documentation/Rivals.md", ["reference-runtimes", "reference-rivals"]),
    ].prefix(Effort.count(1, thorough: 2)))
  func `every quoted table is one that a cited run prints`(page: String, runs: [String]) throws {
    let reports = try runs.map { try Self.recorded($0).report }
    func said(_ table: String) -> String? {
      let name = table.prefix { $0 != ":" }
      return reports.flatMap { $0.components(separatedBy: "\n\n") }.first { $0.hasPrefix("\(name):") }
    }
    for table in try Page(page).blocks().filter(Self.isTable) {
      if let said = said(table) { try Page(page).update(Page.indented(table), with: Page.indented(said)) }
    }
    let tables = try Page(page).blocks().filter(Self.isTable)
    #expect(!tables.isEmpty)
    for table in tables {
      let isSaid = reports.contains { $0.contains(table + "\n") }
      #expect(isSaid, "the run says:\n\(said(table) ?? "nothing of it")")
    }
  }
}
