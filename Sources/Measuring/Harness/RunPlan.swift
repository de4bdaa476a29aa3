import Results
import UploadScenario

package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// The number of generations, each with new workers.
  package var generations = 6
  /// The time after which no round starts, except the first round of each scenario in each generation.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// The minimum number of undisturbed rounds of each scenario, even beyond the budget. A noisy machine may have fewer.
  package var leastRounds = 0
  /// The contender that has two samples in each round, by scenario name. It is the reference; its ratios vary a quarter less.
  package var twice: [String: String] = [:]
  /// The number of rounds in a generation for cells that need no more rounds, so that generations of runs can be compared.
  package var roundsOfSettled = 2
  /// The number of generations that include cells that need no more rounds. Later generations leave these cells out.
  package var generationsOfSettled = 4
  /// The exact number of rounds in a generation, regardless of the budget. `nil` means that the budget decides.
  package var rounds: Int?
  /// The number of warm-up samples of each worker in the first generation, which also determine the number of posts in a
  /// sample. In later generations there are two warm-up samples.
  package var warmUpSamples = 3
  /// The number of generations that count allocations. Two or more show which counts are equal in every process.
  package var countedGenerations = 2
  /// The seed of the order of contenders and scenarios. The scenario's own seed determines payloads, latencies and faults.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// The approximate minimum duration of a sample. A short post is repeated within a sample to reach this duration.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts starts with as many untimed posts. This makes a sample of 1 ms as good as one of 4 ms.
  package var warmsSamples = true
  /// The maximum duration of a sample.
  package var longestSampleNanoseconds = UInt64.max
  package var machine: String?
  package var shard: ShardRecord?
  /// The timeout of a post. `nil` means a timeout that no working contender reaches.
  package var timeoutNanoseconds: UInt64?
  /// The contenders of each scenario, by the scenario's name. A scenario without an entry has all contenders.
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
  /// The current phase, or `nil` while samples are measured. Example: `warm-up`.
  package var phase: String?
  /// The elapsed share of the expected time, from 0 to 1.
  package var fraction: Double
  /// The forecast. It is `nil` until a post of every cell has ended or the budget is used up, whichever comes first.
  package var forecast: Forecast?

  /// The expected duration of a run that has a budget, and its slowest post.
  package struct Forecast: Sendable, Hashable {
    package var nanoseconds: Double
    package var longestPost: CellKey
    package var longestPostNanoseconds: Double
    /// The minimum duration of this generation, regardless of the budget. The first generation has the longest minimum.
    package var generationNanoseconds: Double
  }

  package init(
    scenario: String, samples: Int, unit: String = "samples", phase: String? = nil, fraction: Double
  ) {
    (self.scenario, self.samples, self.unit, self.fraction) = (scenario, samples, unit, fraction)
    self.phase = phase
  }
}

/// The rule for dropping samples and rounds that other load disturbed. It is fixed before the run and equal for all contenders.
///
/// Steal time drops only single samples: on a machine where every tenth sample has steal time, dropping whole rounds would drop
/// two of three. Preemptions do not count, because they depend on the contender's own threads.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// The share of a sample's time that the hypervisor may take before the sample counts as disturbed.
  package var stealShare: Double
  /// A round is disturbed if other processes took this much more of the processors' time than in the median earlier round. The
  /// difference must also be at least ``burstNanoseconds``, because the kernel counts in ticks.
  package var burstShare = 0.25
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: a share from 0 to 1. With 1 or more, steal time drops no sample.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. If the steal time is unknown, the sample counts as undisturbed.
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
/// Each contender has each position equally often, and follows each other one equally often. An odd number needs two squares.
package struct Schedule: Sendable {
  /// The contenders' indices. Each row is the order of one round.
  package let rows: [[Int]]

  /// Creates a schedule. `seed` determines the order of the rows, and which contender gets which symbol of the design.
  package init(contenderCount count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = (0..<count).shuffled(using: &generator)
    let first = Self.firstRow(count)
    var rows = (0..<max(1, count)).map { shift in first.map { ($0 + shift) % count } }
    if count % 2 == 1, count > 1 { rows += rows.map { $0.reversed() } }
    self.rows = rows.map { $0.map { letters[$0] } }.shuffled(using: &generator)
  }

  /// The contenders' order in one round. The rows repeat after the last one.
  package func order(round: Int) -> [Int] { rows[round % rows.count] }

  /// The row 0, 1, n−1, 2, n−2, …, in which each distance between neighbours occurs once.
  private static func firstRow(_ count: Int) -> [Int] {
    (0..<count).map { position in
      position == 0 ? 0 : position % 2 == 1 ? (position + 1) / 2 : count - position / 2
    }
  }
}

/// The number of posts in each cell's samples, chosen so that all samples take about the same time.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [CellKey: Int] = [:]
  /// The number of untimed posts at the start of each cell's samples.
  private var unmeasured: [CellKey: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// Derives the number of posts from a warm-up sample. The fastest sample is used, since slower ones were disturbed or cold.
  mutating func learn(_ cell: CellKey, _ scenario: Work, from reply: SampleReply) {
    guard reply.outcome == .measured, reply.wallNanoseconds > 0 else { return }
    let posts = Double(reply.iterations) / Double(reply.wallNanoseconds)
    let needed = (Double(plan.sampleNanoseconds) * posts).rounded(.up)
    let affordable = Double(plan.longestSampleNanoseconds) * posts
    let count = max(
      iterations(of: cell), scenario.leastIterations,
      Int(min(needed, affordable, Double(scenario.mostIterations))))
    iterations[cell] = count
    // In a post that takes as long as several samples, cold caches cost only a small share of the time.
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
