import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CSVFieldTests {
  @Test(
    arguments: [
      (0, "0"), (1, "1"), (-3, "-3"), (1.5, "1.5"), (1.0 / 3, "0.333333333"), (1_234_567_890, "1234567890"),
      (12_345_678_901.2, "12345678900"), (0.1 + 0.2, "0.3"), (-0.000012345, "-1.2345e-05"),
    ] as [(Double, String)])
  func `a number is written with nine significant digits`(value: Double, expected: String) throws {
    #expect(try value.csvText() == expected)
    #expect(try Double(csvText: expected).csvText() == expected)
  }

  @Test(arguments: ["nan", "NaN", "inf", "-Infinity", "0x1p3", "1,5", "", "1 ", "e", "1e999", "1e31"])
  func `text that is no finite decimal number is refused`(text: String) {
    #expect(throws: FieldProblem.self) { try Double(csvText: text) }
  }

  @Test(arguments: ["1.5", ".0", "+1", "+1.0", "1e3", " 1", "", "9223372036854775808", "0x1"])
  func `text that is no whole number is refused`(text: String) {
    #expect(throws: FieldProblem.self) { try Int(csvText: text) }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is never written`(value: Double) {
    #expect(throws: FieldProblem.self) { try value.csvText() }
  }

  @Test func `an unknown word is refused with the list of known ones`() {
    #expect(throws: FieldProblem("holds \"okay\", which is none of: measured, failed, wrong, timed_out")) {
      try Outcome(csvText: "okay")
    }
  }
}
