import Results
import UploadScenario

/// Compares two builds: starts many pairs of new processes and interleaves their samples in random order.
///
/// The method is *duet benchmarking* (L. Bulej, V. Horký, P. Tůma, F. Farquet and A. Prokopec, “Duet Benchmarking: Improving
/// Measurement Accuracy in the Cloud”, ICPE 2020). Here only one process works at a time, because a contender uses all cores.
package final class Duet<Work: Workload> {
  private let plan: DuetPlan<Work>
  private let pools: [DuetSide: WorkerPool<SampleRequest<Work>>]
  private let clock: HarnessClock
  private let isInterrupted: () -> Bool
  private let listen: (DuetEvent) throws -> Bool

  private var generator: SeededGenerator
  private let contenders: [String]
  private var undecided: [String: [Work]]
  private var pairCounts: [CellKey: Int] = [:]
  private var iterations: [CellKey: Int] = [:]

  /// - Parameters:
  ///   - isInterrupted: called before each sample. Returns whether the user ended the measurement.
  ///   - listen: called with every pair and failure. Returns whether enough is known about this contender in this scenario;
  ///     then, or after a failure, the two get no more pairs. If `listen` throws, the measurement ends.
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

  /// Measures pairs of every contender in every scenario until all are decided or the budget is used up.
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

  /// Measures one pair in each undecided scenario, in one new process of each build. Returns false if interrupted.
  private func takePairs(of contender: String, until end: UInt64) throws -> Bool {
    defer { stopWorkers() }
    for scenario in undecided[contender, default: []] {
      if clock.nanoseconds() >= end { return true }
      if scenario.ownsProcess { stopWorkers() }
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

  private func stopWorkers() { for pool in pools.values { pool.stop() } }

  /// Measures a pair. Returns `nil` if the user interrupted the run or the budget ran out.
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
      // A first, cold call may take a thousand times as long as later ones, so a later sample may have more iterations.
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
    // Disturbed samples are replaced, up to twice the planned number of samples in all.
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

  /// Takes a sample of each build, in random order. Returns `nil` if the user interrupted the run or the budget ran out.
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

  /// The number of iterations, equal for both builds, that makes a sample of the faster build long enough.
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

package enum DuetMeasure: String, Codable, Sendable, CaseIterable {
  /// CPU time of the whole process, user and system.
  case cost
  /// Wall time from the start of the work to its completion.
  case wall
}

package struct DuetPlan<Work: Workload>: Sendable {
  package var cells: [CellKey]
  package var scenarios: [Work]
  package var measure = DuetMeasure.cost
  /// The number of warm-up samples of each scenario in a new process.
  package var warmUpSamples = 3
  package var samples = 12
  /// The minimum duration of a sample. A sample repeats the work until it lasts this long.
  package var sampleNanoseconds: UInt64 = 2_000_000
  /// The approximate time limit for one build's samples in a pair. If samples are long, a pair has fewer, but at least one.
  package var longestNanoseconds: UInt64 = 3_000_000_000
  /// The timeout of work that has a process of its own. `nil` means the default.
  package var timeoutNanoseconds: UInt64?
  /// The time after which no new sample starts.
  package var budgetNanoseconds: UInt64 = 120_000_000_000
  /// The rule that drops disturbed samples. The other build's sample, taken just before or after, is dropped, too.
  package var dropRule = DropRule()
  package var seed: UInt64 = 1

  package init(_ cells: [CellKey], of scenarios: [Work], configure: (inout DuetPlan) -> Void = { _ in }) {
    self.cells = cells
    self.scenarios = scenarios
    configure(&self)
  }

  func scenarios(of contender: String) -> [Work] {
    scenarios.filter { cells.contains(CellKey(contender: contender, scenario: $0.name)) }
  }
}

package enum DuetSide: String, Codable, Sendable, CaseIterable {
  case base
  case candidate
}

/// The interleaved samples of a contender in a scenario, taken in two new processes, one for each build.
package struct DuetPair: Sendable, Hashable {
  package let contender: String
  package let scenario: String
  package let number: Int
  /// The time of each sample in nanoseconds per post. `base` and `candidate` have equally many samples.
  package let base: [Double]
  package let candidate: [Double]
  /// How often the samples of both builds were dropped because other processes disturbed one of them.
  package let disturbed: Int
}

/// A failed sample, because of which this contender gets no verdict in this scenario.
package struct DuetFailure: Error, Hashable {
  package let contender: String
  package let scenario: String
  package let side: DuetSide
  /// The kind of failure: any outcome except `measured`.
  package let outcome: Outcome
  package let reason: String
}

package typealias DuetEvent = Result<DuetPair, DuetFailure>

package enum DuetEnding: Sendable, Hashable {
  case decided
  case outOfTime
  case interrupted
}

/// The processors and the scheduling class of a process, which Linux's `taskset` and `chrt` set.
package enum Placement: Sendable, Hashable {
  case anywhere
  /// One processor and the batch class, for both builds. CPU times repeat best with this placement.
  case oneProcessor(Int)
  case processors([Int])
  /// Real-time priority, which needs a privilege. Wall times repeat best with this placement.
  case realTime
  /// One processor and real-time priority: each thread runs until it waits, so that counts are the same in every run.
  case inTurn(Int)

  var prefix: [String] {
    switch self {
    case .anywhere: []
    case .oneProcessor(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--batch", "0"]
    case .processors(let numbers): ["taskset", "--cpu-list", numbers.map(String.init).joined(separator: ",")]
    case .realTime: ["chrt", "--fifo", "1"]
    case .inTurn(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--fifo", "1"]
    }
  }

  /// Whether this machine has the needed `taskset` or `chrt` and permits its use, found out by running it.
  package var isPermitted: Bool {
    guard let tool = prefix.first else { return true }
    return ToolProcess.output(of: tool, prefix.dropFirst() + ["true"], seconds: 60) != nil
  }

  /// The last allowed processor, because the first one handles most interrupts. `nil` where the platform lists none.
  package static var lastProcessor: Int? { allowedProcessors.last }
  package static var allowedProcessors: [Int] { ProcessorList.allowed(.here) ?? [] }
}
