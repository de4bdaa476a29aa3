import Results

/// Counts what a contender does in each of several scenarios, in passes of one fresh process.
package struct CountingPasses<Work: Workload> {
  /// Posts of each scenario before those that count, so that caches are filled.
  package let warmUpPosts = 4
  package let passes = 3

  package init() {}

  /// What became of one scenario.
  package enum Ending: Sendable, Hashable {
    /// What each pass counted, in their order: more than ``CountingPasses/passes`` where none was undisturbed for long.
    case counted([Counts])
    /// Why there is none, for people.
    case failed(String)
  }

  /// Passes of every scenario, by its name; nil if it was interrupted.
  ///
  /// What fails is tried no further; the next scenario has a process of its own then.
  package func take(
    of contender: String, _ scenarios: [Work], launcher: @escaping WorkerLauncher<SampleRequest<Work>>,
    isInterrupted: @escaping () -> Bool
  ) -> [String: Ending]? {
    let pool = WorkerPool(launcher, isInterrupted: isInterrupted)
    defer { pool.stop() }
    var endings: [String: Ending] = [:]
    for scenario in scenarios {
      guard let ending = ending(of: scenario, { pool.ask(contender, $0) }) else { return nil }
      endings[scenario.name] = ending
      if case .failed = ending { pool.stop() }
    }
    return endings
  }

  /// nil if it was interrupted.
  private func ending(of scenario: Work, _ ask: (SampleRequest<Work>) -> SampleReply?) -> Ending? {
    var quiet: [Counts] = []
    var all: [Counts] = []
    var isWarm = false
    // A thread that loses its processor meets other threads in another state: such a pass is taken again, some times.
    while quiet.count < passes, all.count < 4 * passes {
      let iterations = isWarm ? 1 : warmUpPosts
      guard
        let reply = ask(SampleRequest(scenario: scenario, iterations: iterations, purpose: .allocations))
      else { return nil }
      guard reply.outcome == .measured else { return .failed(reply.reason ?? reply.outcome.rawValue) }
      defer { isWarm = true }
      guard isWarm else { continue }
      let counts = reply.counts ?? Counts()
      all.append(counts)
      if reply.usage.involuntarySwitches == 0 { quiet.append(counts) }
    }
    return .counted(quiet.count == passes ? quiet : all)
  }
}
