import Analysis
import Foundation
import Results
import Testing

@testable import BenchCommand

/// What the pages quote of the committed runs is what those say.
@Suite struct RecordedExcerptTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The blocks of a page that are set as code by four spaces, without those.
  private static func blocks(_ page: String) throws -> [String] {
    var blocks: [[Substring]] = [[]]
    for line in try text(page).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    ") {
        blocks[blocks.count - 1].append(line.dropFirst(4))
      } else if !blocks[blocks.count - 1].isEmpty {
        blocks.append([])
      }
    }
    return blocks.map { $0.joined(separator: "\n") }
  }

  /// A table of a run begins with its scenario and how many rounds it had.
  private static func isTable(_ block: String) -> Bool {
    block.prefixMatch(of: /[a-z][a-z0-9-]+: (.|\n)*? rounds\b/) != nil
  }

  @Test func whatTheReadmeQuotesIsWhatTheReferenceRunSays() throws {
    let path = Self.root.appendingPathComponent("results/reference").path
    let (directory, environment, recorded) = try RecordedRun.whole(path)
    let report = try ReportCommand.report(directory, environment, recorded)
      .text(.report(.table), nextSteps: [])
    let blocks = try Self.blocks("README.md")
    let headline = try #require(report.split(separator: "\n\n").first.map(String.init))
    #expect(blocks.contains(headline))
    let tables = blocks.filter(Self.isTable).filter { !$0.contains("\n  reference ") }
    #expect(tables.count >= 6)
    for table in tables { #expect(report.contains(table + "\n")) }
    let commit = try #require(environment.commit?.prefix(12))
    #expect(try Self.text("README.md").contains("commit `\(commit)`"))
  }
}
