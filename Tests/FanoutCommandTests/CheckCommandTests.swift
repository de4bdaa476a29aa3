import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CheckCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: Refusal.table(
      """
       => check needs something to check against: --against BUILD, or --baseline DIR, or --counters [FILE].
      --baseline x --against y => --against and --baseline are two checks: ask for one.
      --inconclusive pas --against x => unknown inconclusive “pas”. Did you mean pass?
      --format texts --against x => unknown format “texts”. Did you mean text?
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try CheckCommand.ofUploads.run($0, among: known) }
  }
}
