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
  func `steal above its share disturbs a sample`(wall: UInt64, steal: UInt64?, isDisturbed: Bool) {
    #expect(DropRule().isDisturbed(reply(wall: wall, steal: steal)) == isDisturbed)
  }

  /// Of 200 ms, in which others usually take a tenth.
  @Test(arguments: [(20.0, false), (60, false), (80, true), (200, true)])
  func `other processes disturb by what exceeds their usual share`(milliseconds: Double, isDisturbed: Bool) {
    let taken = TakenTime(nanoseconds: milliseconds * 1e6, ofNanoseconds: 200e6)
    #expect(DropRule().isDisturbed(by: taken, usually: 0.1) == isDisturbed)
  }

  /// The kernel counts in ticks.
  @Test func `a few ticks of a short round disturb nothing`() {
    #expect(!DropRule().isDisturbed(by: TakenTime(nanoseconds: 30e6, ofNanoseconds: 40e6), usually: 0))
    #expect(DropRule().isDisturbed(by: TakenTime(nanoseconds: 40e6, ofNanoseconds: 40e6), usually: 0))
  }

  @Test func `the rule describes itself`() {
    #expect(
      DropRule().description
        == "a sample is dropped if steal took more than 1.0 % of it, and a round of a scenario for all contenders if other processes took 25 % of the processors' time, and 30 ms, more than in the median of its rounds before"
    )
  }

  /// A contender's threads preempt each other, more or less often as it comes.
  @Test func `a contender's own preemptions disturb nothing`() {
    #expect(!DropRule().isDisturbed(reply(wall: 1_000_000, steal: 0, involuntary: 9_999)))
  }
}
