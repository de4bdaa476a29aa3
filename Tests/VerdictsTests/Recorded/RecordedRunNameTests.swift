import Foundation
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RecordedRunNameTests {
  private static let far = "/home/someone/projects/fanout/results"

  @Test(arguments: [
    ("results/before", "results/latest", "results/before", "results/latest"),
    (far + "/before", far + "/after", "before", "after"),
    (far + "/a/run", far + "/b/run", "a/run", "b/run"),
    (far + "/run", far + "/run", "the base", "the candidate"),
    (far, String(repeating: "x", count: 60), "the base", "the candidate"),
  ])
  func `a long path is shortened to what differs`(base: String, candidate: String, old: String, new: String) {
    let (first, second) = RecordedRun.shortlyNamed(
      RecordedFixture.run(base), RecordedFixture.run(candidate))
    #expect([first.name, second.name] == [old, new])
    #expect([first.path, second.path] == [base, candidate])
  }

  @Test func `the whole path is printed once`() throws {
    let comparison = try RecordedFixture.comparison(
      RecordedFixture.run(Self.far + "/before"), RecordedFixture.run(Self.far + "/after"))
    for text in [
      comparison.document.text(), CheckReport(comparison, isGate: true).document.text(),
    ] {
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.components(separatedBy: Self.far + "/before").count == 2, "\(text)")
    }
  }
}
