import Verdicts
import TestSupport
import Testing

@Suite(.ownThread) struct PluralTests {
  @Test(arguments: [
    (0, "cell", "0 cells"), (1, "cell", "1 cell"), (2, "cell", "2 cells"), (1, "pass", "1 pass"),
    (3, "process", "3 processes"), (1, "random schedule", "1 random schedule"),
  ])
  func `a noun agrees with its number`(count: Int, noun: String, text: String) {
    #expect(Plural.counted(count, noun) == text)
  }
}
