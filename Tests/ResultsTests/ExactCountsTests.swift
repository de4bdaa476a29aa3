import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct ExactCountsTests {
  @Test(arguments: [
    ([String](), "none"), (["allocations"], "allocations"), (["objects", "releases"], "objects;releases"),
  ])
  func `none is a value`(names: [String], text: String) throws {
    #expect(ExactCounts(names).csvText() == text)
    #expect(try ExactCounts(csvText: text) == ExactCounts(names))
  }

  @Test func `a quantity that is not counted is refused`() {
    #expect(throws: FieldProblem.self) { try ExactCounts(csvText: "allocations;wall") }
  }

  /// They name columns of samples.csv.
  @Test func `the names are columns of samples.csv`() {
    let columns = Set(Sample.columns.map(\.name))
    #expect(ExactCounts.countable.allSatisfy { columns.contains($0.name) })
  }
}
