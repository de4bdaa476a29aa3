import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ProcessorListTests {
  @Test(
    arguments: [
      ("0", [0]), ("0-1", [0, 1]), ("0-2,6", [0, 1, 2, 6]), (" 3 , 5-6\n", [3, 5, 6]), ("", nil),
      ("3-1", nil),
      ("a", nil), ("1-2-3", nil), ("1,,2", [1, 2]),
    ] as [(String, [Int]?)])
  func `ranges and numbers are parsed`(text: String, numbers: [Int]?) {
    #expect(ProcessorList.numbers(text) == numbers)
  }
}
