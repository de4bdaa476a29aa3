/// Which rounds others have disturbed from outside: stated before the run, the same for every contender.
///
/// How often a contender is preempted is no part of it: that comes of its own threads, and goes with its time in both directions.
/// To drop by it would be to choose by the outcome. Nor is what others take all the time: that is what the machine is like.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double
  /// A round is disturbed if other processes took so much more of the processors' time than in the median of the scenario's rounds before it,
  package var burstShare = 0.25
  /// and so much more time: the kernel says it in ticks.
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: from 0 to 1; of 1 or more, steal disturbs nothing.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. Unknown steal disturbs nothing.
  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// Whether a round was disturbed.
  ///
  /// - Parameters:
  ///   - taken: by other processes in the round.
  ///   - share: of the processors' time, what others took in the median of the scenario's rounds before it.
  package func isDisturbed(by taken: TakenTime, usually share: Double) -> Bool {
    let more = taken.nanoseconds - share * taken.ofNanoseconds
    return more > max(burstShare * taken.ofNanoseconds, burstNanoseconds)
  }

  /// The rule for samples as a clause.
  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String {
    "a round of a scenario is dropped for all contenders if \(steal), or other processes took \(Int(burstShare * 100)) % of the processors' time, and \(Int(burstNanoseconds / 1_000_000)) ms, more than in the median of its rounds before"
  }
}
