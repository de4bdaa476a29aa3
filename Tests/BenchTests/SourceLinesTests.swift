import Testing

@testable import bench

@Suite struct SourceLinesTests {
  @Test func blankLinesAndCommentsAreNotCounted() {
    #expect(SourceLines.lines(in: "import A\n\n// why\n  /// what\nlet b = 1  // one\n}\n") == 3)
  }
}
