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

/// What of a sample is compared.
package enum DuetMeasure: String, Codable, Sendable, CaseIterable {
  /// Processor time of the whole process, user and system.
  case cost
  /// Time on the clock, from the start of the work to its completion.
  case wall
}

/// Which cells of two builds are set side by side, and how.
package struct DuetPlan<Work: Workload>: Sendable {
  /// What both builds know, in the order in which reports show it.
  package var cells: [CellKey]
  package var scenarios: [Work]
  package var measure = DuetMeasure.cost
  /// Samples of each cell in each fresh worker before those that count.
  package var warmUpSamples = 3
  package var samples = 12
  /// Samples are lengthened to at least this by repeating the post.
  package var sampleNanoseconds: UInt64 = 2_000_000
  /// Where samples are long, a pair has fewer of them: those of one side take about so long at most, or are one.
  package var longestNanoseconds: UInt64 = 3_000_000_000
  /// How long work that has a process of its own may take; nil: as long as in a run.
  package var timeoutNanoseconds: UInt64?
  /// When to begin no further sample.
  package var budgetNanoseconds: UInt64 = 120_000_000_000
  /// Which samples count; a disturbed one takes its partner of the other side with it.
  package var dropRule = DropRule()
  /// What the order of the cells, and who begins, are drawn from.
  package var seed: UInt64 = 1

  /// Processor time, twelve samples a pair, for two minutes, unless `configure` says otherwise.
  package init(_ cells: [CellKey], of scenarios: [Work], configure: (inout DuetPlan) -> Void = { _ in }) {
    self.cells = cells
    self.scenarios = scenarios
    configure(&self)
  }

  func scenarios(of contender: String) -> [Work] {
    scenarios.filter { cells.contains(CellKey(contender: contender, scenario: $0.name)) }
  }
}

/// One of the two builds.
package enum DuetSide: String, Codable, Sendable, CaseIterable {
  case base
  case candidate
}

/// What two fresh processes, one of each build, measured of a cell, interleaved.
package struct DuetPair: Sendable, Hashable {
  package let contender: String
  package let scenario: String
  /// How many pairs this cell had before.
  package let number: Int
  /// Nanoseconds per post, a sample each; as many as the candidate's.
  package let base: [Double]
  /// The same of the other build, interleaved with those.
  package let candidate: [Double]
  /// How often both sides' samples were left out because one was disturbed.
  package let disturbed: Int
}

/// Why a cell has no verdict: a sample of it was not measured.
package struct DuetFailure: Error, Hashable {
  package let contender: String
  package let scenario: String
  /// Which build's sample it was.
  package let side: DuetSide
  /// What came of that sample; never `measured`.
  package let outcome: Outcome
  package let reason: String
}

/// What a duet tells as it goes.
package typealias DuetEvent = Result<DuetPair, DuetFailure>

/// Why a duet ended.
package enum DuetEnding: Sendable, Hashable {
  case decided
  /// The budget was used up before every cell was decided.
  case outOfTime
  case interrupted
}

/// Where the scheduler puts a process, by the tools that every Linux has for it.
package enum Placement: Sendable, Hashable {
  case anywhere
  /// Both sides of a pair on one processor, in turns that are not cut short to be fair: their cost repeats best so.
  case oneProcessor(Int)
  /// On no others.
  case processors([Int])
  /// Before everything that has no real-time priority: time on the clock repeats best so. It takes a privilege.
  case realTime
  /// Both at once: one thread at a time until it waits, so that the same happens every time. It takes the same privilege.
  case inTurn(Int)

  /// What stands before the command that is to be placed.
  var prefix: [String] {
    switch self {
    case .anywhere: []
    case .oneProcessor(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--batch", "0"]
    case .processors(let numbers): ["taskset", "--cpu-list", numbers.map(String.init).joined(separator: ",")]
    case .realTime: ["chrt", "--fifo", "1"]
    case .inTurn(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--fifo", "1"]
    }
  }

  /// Whether this machine has the tools and permits it; found out by trying.
  package var isPermitted: Bool {
    guard let tool = prefix.first else { return true }
    return Permissions.succeeds(tool, prefix.dropFirst() + ["true"])
  }

  /// The last that this process may use: interrupts mostly go to the first. nil where the platform does not say.
  package static var lastProcessor: Int? { allowedProcessors.last }
  /// All that it may use; empty where the platform does not say.
  package static var allowedProcessors: [Int] { ProcessorList.allowed(.here) ?? [] }
}
