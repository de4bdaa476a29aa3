import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct GrowthTextTests {
  /// A linear one, one that bends and is stopped, one that becomes cheaper, and too long a name.
  static let analysis = SyntheticGrowth.analysis(
    SyntheticGrowth.cells("callbacks") { 90 * $0 }
      + SyntheticGrowth.cells("futures") { 20_000 + 50 * $0 }
      + SyntheticGrowth.cells("swift-concurrency", fanOuts: Array(SyntheticGrowth.fanOuts.dropLast())) {
        400 * $0 * max(1, $0 / 10_000)
      } + SyntheticGrowth.stopped("swift-concurrency", fanOut: 1_000_000)
      + SyntheticGrowth.cells("swift-concurrency/unsafe-continuation", fanOuts: [1, 10, 100]) { 70 * $0 })

  @Test func `the JSON report holds the rows of the files`() throws {
    let text = try Self.analysis.json()
    for column in GrowthRecord.columns { #expect(text.contains("\"\(column.name)\" : ")) }
    #expect(text.contains("\"superlinear_from_fan_out\" : 10000"))
    #expect(text.contains("\"cheaper_above\" : \"futures\""))
  }

  @Test func `a run without a series has no growth section`() {
    #expect(!SyntheticRun.analysis.document().text().contains("growth"))
    #expect(!SyntheticRun.analysis.document().markdown.contains("growth of"))
  }
}
