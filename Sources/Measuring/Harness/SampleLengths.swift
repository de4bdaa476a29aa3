/// How many posts the samples of each cell have, so that they last about as long as everybody's.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [HarnessCell: Int] = [:]
  /// How many posts a sample begins with that are not timed.
  private var unmeasured: [HarnessCell: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// What a warm-up sample says of it. Of several the fastest counts: a slow one was disturbed, or cold.
  mutating func learn(_ cell: HarnessCell, _ scenario: Work, from reply: SampleReply) {
    guard reply.outcome == .measured, reply.wallNanoseconds > 0 else { return }
    let posts = Double(reply.iterations) / Double(reply.wallNanoseconds)
    let needed = (Double(plan.sampleNanoseconds) * posts).rounded(.up)
    let affordable = Double(plan.longestSampleNanoseconds) * posts
    let count = max(
      iterations(of: cell), scenario.leastIterations,
      Int(min(needed, affordable, Double(scenario.mostIterations))))
    iterations[cell] = count
    // What a post that lasts several samples' time finds cold is a small part of it.
    let isLong = 1 / posts > 4 * Double(plan.sampleNanoseconds)
    unmeasured[cell] = plan.warmsSamples && scenario.mostIterations > 1 && !isLong ? count : nil
  }

  /// 1 before anything is known of it.
  func iterations(of cell: HarnessCell) -> Int { iterations[cell] ?? 1 }

  /// A whole sample of a cell.
  func request(_ cell: HarnessCell, _ scenario: Work) -> SampleRequest<Work> {
    SampleRequest(
      scenario: scenario, iterations: iterations(of: cell), unmeasured: unmeasured[cell],
      timeoutNanoseconds: plan.timeoutNanoseconds)
  }
}
