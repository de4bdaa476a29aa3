/// Which samples other users of the machine have disturbed: stated before the run, the same for every contender.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double
  /// A sample is disturbed if it was preempted more often than so many times what is usual for its cell. What is usual
  /// differs by a hundredfold between idioms that hand over between threads and those that do not.
  package var preemptionFactor: Int

  package init(stealShare: Double = 0.01, preemptionFactor: Int = 5) {
    self.stealShare = stealShare
    self.preemptionFactor = preemptionFactor
  }

  /// A few preemptions belong to any sample, however short.
  static let toleratedPreemptions = 50
  /// With fewer samples nothing is known to be usual.
  static let usualAfter = 5

  /// Whether a sample was disturbed, given the preemptions of the cell's earlier samples. Unknown steal disturbs nothing.
  package func isDisturbed(_ reply: SampleReply, earlierPreemptions: [Int]) -> Bool {
    if let steal = reply.disturbance.stealNanoseconds,
      Double(steal) > stealShare * Double(reply.wallNanoseconds)
    {
      return true
    }
    // What is behind thousands is preempted by the threads of its own process, more or less often as it comes.
    guard reply.postsBefore == nil, earlierPreemptions.count >= Self.usualAfter else { return false }
    let usual = earlierPreemptions.sorted()[earlierPreemptions.count / 2]
    return reply.usage.involuntarySwitches > max(Self.toleratedPreemptions, preemptionFactor * usual)
  }

  /// The half of the rule that needs no earlier samples, as a clause.
  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String {
    "a round of a scenario is dropped for all contenders if \(steal), or"
      + " if one was preempted more than \(Self.toleratedPreemptions) times and more than \(preemptionFactor) times as"
      + " often as the median of its earlier samples"
  }
}
