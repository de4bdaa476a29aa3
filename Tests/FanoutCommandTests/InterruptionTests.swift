@testable import Harness
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct InterruptionTests {
  /// `timeout` and a closed terminal send a signal twice.
  @Test(arguments: [
    (1_000, 1_000, false), (1_000, 500_000_999, false), (1_000, 500_001_000, true), (2, 1, false),
  ])
  func `a signal repeated within half a second counts once`(first: UInt64, now: UInt64, isAnother: Bool) {
    #expect(Interruption.isAnother(now, after: first) == isAnother)
  }

  @Test func `every signal that ends the process has an exit code`() {
    for number in EndingSignals.all { #expect(ExitCode(rawValue: 128 + number) != nil) }
  }
}
