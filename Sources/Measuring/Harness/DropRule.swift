/// Which samples others have disturbed from outside: stated before the run, the same for every contender.
///
/// How often a contender is preempted is no part of it: that comes of its own threads, and goes with its time in both directions.
/// To drop by it would be to choose by the outcome.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double

  /// - Parameter stealShare: from 0 to 1; of 1 or more, steal disturbs nothing.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. Unknown steal disturbs nothing.
  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// The rule as a clause.
  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String { "a round of a scenario is dropped for all contenders if \(steal)" }
}
