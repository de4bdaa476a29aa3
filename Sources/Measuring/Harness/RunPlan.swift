import Results
import UploadScenario

package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// The number of generations, each with new workers.
  package var generations = 6
  /// The time after which no round starts. Even so, every generation has a round of each scenario with shorter posts.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// The minimum number of mostly undisturbed rounds of each scenario, even beyond the budget.
  package var leastRounds = 0
  /// The contender with two samples in each round, by scenario name: the reference, so that ratios vary by a quarter less.
  package var twice: [String: String] = [:]
  /// The number of rounds in each generation for cells that need no more, so that generations of runs can be compared.
  package var roundsOfSettled = 2
  /// The number of generations that include cells that need no more rounds. Later ones leave these cells out.
  package var generationsOfSettled = 4
  /// The exact number of rounds in a generation, whatever the budget. `nil` means that the budget decides.
  package var rounds: Int?
  /// The number of warm-up samples of each worker in the first generation. They also determine the number of posts in a sample.
  /// Later generations take two.
  package var warmUpSamples = 3
  /// The number of generations with counting passes. Two or more, to find counts that are equal in every process.
  package var countedGenerations = 2
  /// The seed of the order of contenders and scenarios. Payloads, latencies and faults have their scenario's own seed.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// The approximate minimum duration of a sample, which repeats its post. Many short samples are better than few long ones.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts starts with as many untimed ones. A sample of 1 ms is then as good as one of 4 ms.
  package var warmsSamples = true
  /// The maximum duration of a sample.
  package var longestSampleNanoseconds = UInt64.max
  package var machine: String?
  package var shard: ShardRecord?
  /// The timeout of a post. `nil` means a limit that no working contender reaches.
  package var timeoutNanoseconds: UInt64?
  /// The contenders of each scenario, by its name. A scenario that is not listed has all contenders.
  package var participants: [String: [String]] = [:]

  package static var usualSampleNanoseconds: UInt64 { 1_000_000 }

  /// Creates a plan without checking it. `participants` must name contenders of the plan.
  package init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  /// The number of undisturbed rounds that a scenario must have by the end of a generation.
  func owedRounds(by generation: Int) -> Int {
    (leastRounds * (generation + 1) + generations - 1) / generations
  }

  package func contenders(of scenario: Work) -> [String] { participants[scenario.name] ?? contenders }
}

package struct RunProgress: Sendable, Hashable {
  package var scenario: String
  /// The number of samples so far, including warm-up samples.
  package var samples: Int
  package var unit = "samples"
  /// The current phase, or `nil` while it measures. Example: `warm-up`.
  package var phase: String?
  /// The elapsed share of the expected time, from 0 to 1.
  package var fraction: Double
  /// The forecast, or `nil` until a post of every cell has ended or the budget is used up.
  package var forecast: Forecast?

  /// The expected duration of a run that has a budget, and its slowest post.
  package struct Forecast: Sendable, Hashable {
    package var nanoseconds: Double
    package var longestPost: CellKey
    package var longestPostNanoseconds: Double
    /// The minimum duration of this generation, whatever the budget. The first generation has the longest.
    package var generationNanoseconds: Double

    package init(
      nanoseconds: Double, longestPost: CellKey, longestPostNanoseconds: Double, generationNanoseconds: Double
    ) {
      (self.nanoseconds, self.longestPost) = (nanoseconds, longestPost)
      (self.longestPostNanoseconds, self.generationNanoseconds) = (
        longestPostNanoseconds, generationNanoseconds
      )
    }
  }

  package init(
    scenario: String, samples: Int, unit: String = "samples", phase: String? = nil, fraction: Double
  ) {
    (self.scenario, self.samples, self.unit, self.fraction) = (scenario, samples, unit, fraction)
    self.phase = phase
  }
}

/// The rule for dropping samples and rounds that other load disturbed, fixed before the run for all contenders.
///
/// Steal time drops single samples: on a machine where it hits every tenth sample, two of three rounds have one, so dropping
/// whole rounds would leave little. Preemptions do not count, because they depend on the contender's own threads.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// The share of a sample's time above which steal time makes the sample disturbed.
  package var stealShare: Double
  /// A round is disturbed if other processes took this much more of the processors' time than in the median of earlier rounds.
  /// The difference must also be at least ``burstNanoseconds``, because the kernel counts in ticks.
  package var burstShare = 0.25
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: a share from 0 to 1. With 1 or more, steal time drops no sample.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. A sample with unknown steal time counts as undisturbed.
  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// Whether other processes disturbed a round. `share` is their median share in earlier rounds.
  package func isDisturbed(by taken: TakenTime, usually share: Double) -> Bool {
    let more = taken.nanoseconds - share * taken.ofNanoseconds
    return more > max(burstShare * taken.ofNanoseconds, burstNanoseconds)
  }

  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String {
    "a sample is dropped if steal took more than \(stealShare * 100) % of it, and a round of a scenario for all contenders if other processes took \(Int(burstShare * 100)) % of the processors' time, and \(Int(burstNanoseconds / 1_000_000)) ms, more than in the median of its rounds before"
  }
}

/// The order of a scenario's contenders in each round, by a Williams design (E. J. Williams, 1949).
///
/// Over all rows, each contender is equally often in each position and after each other one. An odd number needs two squares.
package struct Schedule: Sendable {
  /// The contenders' indices, with one row for each round.
  package let rows: [[Int]]

  /// Creates a schedule. `seed` determines the order of the rows, and which contender stands for which symbol of the design.
  package init(contenderCount count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = (0..<count).shuffled(using: &generator)
    let first = Self.firstRow(count)
    var rows = (0..<max(1, count)).map { shift in first.map { ($0 + shift) % count } }
    if count % 2 == 1, count > 1 { rows += rows.map { $0.reversed() } }
    self.rows = rows.map { $0.map { letters[$0] } }.shuffled(using: &generator)
  }

  /// The order of one round. After the last row, the first one follows again.
  package func order(round: Int) -> [Int] { rows[round % rows.count] }

  /// The row 0, 1, n−1, 2, n−2, …, in which each distance between neighbours occurs once.
  private static func firstRow(_ count: Int) -> [Int] {
    (0..<count).map { position in
      position == 0 ? 0 : position % 2 == 1 ? (position + 1) / 2 : count - position / 2
    }
  }
}

/// The number of posts in each cell's samples, chosen so that all samples last about equally long.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [CellKey: Int] = [:]
  /// The number of untimed posts at the start of each cell's samples.
  private var unmeasured: [CellKey: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// Sets the number of posts from a warm-up sample. The fastest sample counts, since slower ones were disturbed or cold.
  mutating func learn(_ cell: CellKey, _ scenario: Work, from reply: SampleReply) {
    guard reply.outcome == .measured, reply.wallNanoseconds > 0 else { return }
    let posts = Double(reply.iterations) / Double(reply.wallNanoseconds)
    let needed = (Double(plan.sampleNanoseconds) * posts).rounded(.up)
    let affordable = Double(plan.longestSampleNanoseconds) * posts
    let count = max(
      iterations(of: cell), scenario.leastIterations,
      Int(min(needed, affordable, Double(scenario.mostIterations))))
    iterations[cell] = count
    // A post that lasts as long as several samples spends little of its time on cold caches.
    let isWarmed = scenario.isWarmed ?? (1 / posts <= 4 * Double(plan.sampleNanoseconds))
    unmeasured[cell] = plan.warmsSamples && scenario.mostIterations > 1 && isWarmed ? count : nil
  }

  func iterations(of cell: CellKey) -> Int { iterations[cell] ?? 1 }

  func posts(of cell: CellKey) -> Int { iterations(of: cell) + (unmeasured[cell] ?? 0) }

  func request(_ cell: CellKey, _ scenario: Work) -> SampleRequest<Work> {
    SampleRequest(
      scenario: scenario, iterations: iterations(of: cell), unmeasured: unmeasured[cell],
      timeoutNanoseconds: plan.timeoutNanoseconds)
  }
}
