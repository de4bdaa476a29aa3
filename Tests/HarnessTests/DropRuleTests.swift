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
    #expect(DropRule().isDisturbed(reply(wall: wall, steal: steal), earlierPreemptions: []) == isDisturbed)
  }

  @Test(arguments: [
    (51, [0, 1, 2, 1, 0], true),
    (50, [0, 1, 2, 1, 0], false),
    (400, [100, 90, 110, 100, 100], false),
    (501, [100, 90, 110, 100, 100], true),
    (9_999, [1, 1, 1, 1], false),
  ])
  func preemptionFarAboveTheUsualDisturbs(preemptions: Int, earlier: [Int], isDisturbed: Bool) {
    let reply = reply(wall: 1_000_000, steal: 0, involuntary: preemptions)
    #expect(DropRule().isDisturbed(reply, earlierPreemptions: earlier) == isDisturbed)
    // The threads of one process preempt each other where one post waits for thousands.
    var behind = reply
    behind.postsBefore = 3
    #expect(!DropRule().isDisturbed(behind, earlierPreemptions: earlier))
  }
}
