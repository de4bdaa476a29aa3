@testable import Harness
import TestSupport
import Testing

@Suite(.ownThread) struct DropRuleTests {
  private func reply(wall: UInt64, steal: UInt64?, involuntary: Int = 0) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    reply.wallNanoseconds = wall
    reply.disturbance.stealNanoseconds = steal
    reply.usage.involuntarySwitches = involuntary
    return reply
  }

  @Test(arguments: [
    (1_000_000 as UInt64, nil as UInt64?, false),
    (1_000_000, 0, false),
    (1_000_000, 10_000_000, true),
    (2_000_000_000, 10_000_000, false),
  ])
  func stealAboveItsShareDisturbs(wall: UInt64, steal: UInt64?, isDisturbed: Bool) {
    #expect(DropRule().isDisturbed(reply(wall: wall, steal: steal)) == isDisturbed)
  }

  /// A contender's threads preempt each other, more or less often as it comes.
  @Test func whatAContenderDoesToItselfDisturbsNothing() {
    #expect(!DropRule().isDisturbed(reply(wall: 1_000_000, steal: 0, involuntary: 9_999)))
  }
}
