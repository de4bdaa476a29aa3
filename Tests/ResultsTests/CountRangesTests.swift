import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CountRangesTests {
  @Test(arguments: [
    ([CountRanges.Entry](), "none"), ([.init(name: "retains", least: 12, most: 12.5)], "retains=12.0..12.5"),
    (
      [.init(name: "objects", least: 0, most: 1), .init(name: "releases", least: 0.25, most: 1e20)],
      "objects=0.0..1.0;releases=0.25..1e+20"
    ),
  ])
  func `none is a value`(entries: [CountRanges.Entry], text: String) throws {
    #expect(CountRanges(entries).csvText() == text)
    #expect(try CountRanges(csvText: text) == CountRanges(entries))
  }

  @Test(arguments: [
    "wall=1..2", "retains", "retains=1", "retains=2..1", "retains=-1..1", "retains=1..2..3", "retains=a..b",
    "retains=0..inf",
  ])
  func `an invalid range of a count is refused`(text: String) {
    #expect(throws: FieldProblem.self) { try CountRanges(csvText: text) }
  }
}
