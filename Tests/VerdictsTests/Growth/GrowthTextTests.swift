import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct GrowthTextTests {
  /// A linear one, one that bends and is stopped, one that becomes cheaper, and too long a name.
  private static let analysis = SyntheticGrowth.analysis(
    SyntheticGrowth.cells("callbacks") { 90 * $0 }
      + SyntheticGrowth.cells("futures") { 20_000 + 50 * $0 }
      + SyntheticGrowth.cells("swift-concurrency", fanOuts: Array(SyntheticGrowth.fanOuts.dropLast())) {
        400 * $0 * max(1, $0 / 10_000)
      } + SyntheticGrowth.stopped("swift-concurrency", fanOut: 1_000_000)
      + SyntheticGrowth.cells("swift-concurrency/unsafe-continuation", fanOuts: [1, 10, 100]) { 70 * $0 })

  private func section(_ text: String, from start: String) -> String {
    text.range(of: start).map { String(text[$0.lowerBound...]) } ?? ""
  }

  @Test func theTableForATerminalIsTheGoldenFile() throws {
    let text = Self.analysis.document().text()
    try Golden.expect(section(text, from: "growth of"), equals: "growth.txt")
    for line in text.split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test func theTableInMarkdownIsTheGoldenFile() throws {
    try Golden.expect(section(Self.analysis.document().markdown, from: "### growth"), equals: "growth.md")
  }

  @Test func theJSONReportHoldsTheRowsOfTheFiles() throws {
    let text = try Self.analysis.json()
    for column in GrowthRecord.columns { #expect(text.contains("\"\(column.name)\" : ")) }
    #expect(text.contains("\"superlinear_from_fan_out\" : 10000"))
    #expect(text.contains("\"cheaper_above\" : \"futures\""))
  }

  @Test func aRunWithoutASeriesSaysNothingOfGrowth() {
    #expect(!SyntheticRun.analysis.document().text().contains("growth"))
    #expect(!SyntheticRun.analysis.document().markdown.contains("growth of"))
  }
}
