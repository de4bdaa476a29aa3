import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CSVLineTests {
  @Test(arguments: [
    (["a", "b"], "a,b"), (["", ""], ","), (["a,b", "c"], "\"a,b\",c"), (["say \"x\""], "\"say \"\"x\"\"\""),
    (["", "a"], ",a"), ([" a "], " a "),
  ])
  func `fields are quoted only where needed, and read back`(fields: [String], line: String) throws {
    #expect(CSVLine.join(fields) == line + "\n")
    #expect(try CSVLine.split(line.utf8) == fields)
  }

  @Test(arguments: ["\"a", "\"a\"b,c", "a\"b", "a\tb", "\"a\rb\""])
  func `malformed lines are refused`(line: String) {
    #expect(throws: FieldProblem.self) { try CSVLine.split(line.utf8) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: FieldProblem("has bytes that are not UTF-8")) { try CSVLine.split([0x61, 0xFF]) }
  }
}
