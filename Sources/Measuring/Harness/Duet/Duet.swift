import Results
import UploadScenario

/// Runs two builds side by side: many pairs of fresh processes, whose samples are interleaved in random order.
///
/// This is *duet benchmarking* (L. Bulej, V. Horký, P. Tůma, F. Farquet and A. Prokopec, “Duet Benchmarking: Improving
/// Measurement Accuracy in the Cloud”, ICPE 2020), but one at a time, because a contender uses all cores.
///
/// Whoever listens says of each pair whether its cell is decided. A decided cell leaves the rotation.
package final class Duet<Work: Workload> {
  private let plan: DuetPlan<Work>
  private let pools: [DuetSide: WorkerPool<SampleRequest<Work>>]
  private let clock: HarnessClock
  private let isInterrupted: () -> Bool
  /// Whether the cell needs no further pair.
  private let listen: (DuetEvent) throws -> Bool

  private var generator: SeededGenerator
  private let contenders: [String]
  private var undecided: [String: [Work]]
  private var pairCounts: [CellKey: Int] = [:]
  private var iterations: [CellKey: Int] = [:]

  /// - Parameters:
  ///   - isInterrupted: asked before each sample.
  ///   - listen: is told of every pair and failure, and says whether its cell is decided; what it throws ends the duet. A
  ///     cell that failed leaves the rotation whatever it says.
  package init(
    plan: DuetPlan<Work>, base: @escaping WorkerLauncher<SampleRequest<Work>>,
    candidate: @escaping WorkerLauncher<SampleRequest<Work>>, clock: HarnessClock = .monotonic,
    isInterrupted: @escaping () -> Bool = { false },
    listen: @escaping (DuetEvent) throws -> Bool
  ) {
    self.plan = plan
    pools = [
      .base: WorkerPool(base, isInterrupted: isInterrupted),
      .candidate: WorkerPool(candidate, isInterrupted: isInterrupted),
    ]
    self.clock = clock
    self.isInterrupted = isInterrupted
    self.listen = listen
    generator = SeededGenerator(seed: plan.seed)
    contenders = plan.cells.map(\.contender).unique()
    undecided = contenders.keyed { ($0, plan.scenarios(of: $0)) }
  }

  /// Runs until every cell is decided or the budget is used up. Each undecided cell has equally many pairs, or one more.
  package func run() throws -> DuetEnding {
    let end = clock.nanoseconds() + plan.budgetNanoseconds
    while true {
      let contenders = contenders.filter { !undecided[$0, default: []].isEmpty }
      if contenders.isEmpty { return .decided }
      for contender in contenders.shuffled(using: &generator) {
        if clock.nanoseconds() >= end { return .outOfTime }
        guard try takePairs(of: contender, until: end) else { return .interrupted }
      }
    }
  }

  /// A pair of each of the contender's undecided cells, from one pair of processes; false if the user ended it.
  private func takePairs(of contender: String, until end: UInt64) throws -> Bool {
    defer { stopWorkers() }
    for scenario in undecided[contender, default: []] {
      if clock.nanoseconds() >= end { return true }
      if scenario.ownsProcess { stopWorkers() }
      // Both get ready at the same time, and neither always first.
      for side in DuetSide.allCases.shuffled(using: &generator) {
        pools[side]!.prepare(contender, for: scenario)
      }
      let event: DuetEvent
      do throws(DuetFailure) {
        guard let pair = try pair(of: contender, scenario, until: end) else { return !isInterrupted() }
        event = .success(pair)
      } catch {
        event = .failure(error)
        stopWorkers()
      }
      let isDecided = try listen(event)
      if case .success = event, !isDecided { continue }
      undecided[contender]?.removeAll { $0 == scenario }
    }
    return true
  }

  private func stopWorkers() {
    for pool in pools.values { pool.stop() }
  }

  /// nil if the user or the budget ended it.
  private func pair(
    of contender: String, _ scenario: Work, until end: UInt64
  ) throws(DuetFailure) -> DuetPair? {
    let cell = CellKey(contender: contender, scenario: scenario.name)
    let timeout = scenario.ownsProcess ? plan.timeoutNanoseconds : nil
    var samples = plan.samples
    for _ in 0..<plan.warmUpSamples {
      let request = SampleRequest(
        scenario: scenario, iterations: iterations[cell] ?? 1, timeoutNanoseconds: timeout)
      guard let replies = try takeTurns(request, of: contender, until: end) else { return nil }
      // What takes nanoseconds seems to take a thousand times as long at first: it is looked at until it is warm.
      if iterations[cell] == nil || scenario.ownsProcess && pairCounts[cell] == nil {
        iterations[cell] = max(iterations[cell] ?? 0, iterations(of: scenario, replies))
      }
      let few = plan.longestNanoseconds / max(1, replies.values.map(\.wallNanoseconds).max() ?? 1)
      if few < UInt64(samples) {
        samples = max(1, Int(few))
        break
      }
    }
    let request = SampleRequest(
      scenario: scenario, iterations: iterations[cell] ?? 1, timeoutNanoseconds: timeout)
    var times: [DuetSide: [Double]] = [:]
    var disturbed = 0
    // On a machine that is disturbed all the time a pair ends with what it has.
    for _ in 0..<2 * samples where times[.base, default: []].count < samples {
      guard let replies = try takeTurns(request, of: contender, until: end) else { return nil }
      if replies.values.contains(where: plan.dropRule.isDisturbed) {
        disturbed += 1
        continue
      }
      for (side, reply) in replies { times[side, default: []].append(time(of: reply)) }
    }
    let number = pairCounts[cell, default: 0]
    pairCounts[cell] = number + 1
    return DuetPair(
      contender: contender, scenario: scenario.name, number: number, base: times[.base] ?? [],
      candidate: times[.candidate] ?? [], disturbed: disturbed)
  }

  /// A sample of each side, in random order; nil if the user or the budget ended it.
  private func takeTurns(
    _ request: SampleRequest<Work>, of contender: String, until end: UInt64
  ) throws(DuetFailure) -> [DuetSide: SampleReply]? {
    var replies: [DuetSide: SampleReply] = [:]
    for side in DuetSide.allCases.shuffled(using: &generator) {
      if clock.nanoseconds() >= end { return nil }
      guard let reply = pools[side]!.ask(contender, request) else { return nil }
      guard reply.outcome == .measured else {
        throw DuetFailure(
          contender: contender, scenario: request.scenario.name, side: side, outcome: reply.outcome,
          reason: reply.reason ?? reply.outcome.rawValue)
      }
      replies[side] = reply
    }
    return replies
  }

  /// As often as makes a sample of the faster side long enough; the same for both.
  private func iterations(of scenario: Work, _ replies: [DuetSide: SampleReply]) -> Int {
    let fastest = max(1, replies.values.map(\.wallNanoseconds).min() ?? 1)
    let needed = min((plan.sampleNanoseconds + fastest - 1) / fastest, UInt64(scenario.mostIterations))
    return max(scenario.leastIterations, Int(needed))
  }

  private func time(of reply: SampleReply) -> Double {
    let nanoseconds =
      switch plan.measure {
      case .cost: reply.usage.cpuNanoseconds
      case .wall: reply.wallNanoseconds
      }
    return Double(nanoseconds) / Double(max(1, reply.iterations))
  }
}
