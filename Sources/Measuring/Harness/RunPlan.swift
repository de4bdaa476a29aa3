import Results
import UploadScenario

package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// The number of generations: repetitions of the whole measurement, each in new processes.
  package var generations = 6
  /// The time after which no round (a sample of each contender) starts, except the first of a scenario in a generation.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// The minimum number of undisturbed rounds of a scenario, even beyond the budget. A very noisy machine may have fewer.
  package var leastRounds = 0
  /// By scenario name, the reference contender that gets two samples in each round. Ratios to it then vary a quarter less.
  package var twice: [String: String] = [:]
  /// The rounds in a generation for a contender and scenario whose result is already precise enough.
  package var roundsOfSettled = 2
  /// The number of generations that include a contender and scenario whose result is already precise enough.
  package var generationsOfSettled = 4
  /// The exact number of rounds in a generation. `nil` means that the budget decides.
  package var rounds: Int?
  /// The number of warm-up samples in the first generation. They also determine how many posts a sample has.
  package var warmUpSamples = 3
  /// The number of generations that count allocations: two or more show which counts are equal in every process.
  package var countedGenerations = 2
  /// The seed of the order of contenders and scenarios. A scenario has its own seed for payloads, latencies and faults.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// The approximate minimum duration of a sample. A short post is repeated to reach it.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts starts with as many untimed ones: then 1 ms of timing is as precise as 4 ms without.
  package var warmsSamples = true
  package var longestSampleNanoseconds = UInt64.max
  package var machine: String?
  package var shard: ShardRecord?
  /// The timeout of a post (a job of uploads). `nil` means one that no working contender reaches.
  package var timeoutNanoseconds: UInt64?
  /// The contenders of each scenario, by the scenario's name. A scenario without an entry has all contenders.
  package var participants: [String: [String]] = [:]

  package static var usualSampleNanoseconds: UInt64 { 1_000_000 }

  package init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  /// The minimum number of undisturbed rounds of a scenario by the end of a generation.
  func owedRounds(by generation: Int) -> Int {
    (leastRounds * (generation + 1) + generations - 1) / generations
  }

  package func contenders(of scenario: Work) -> [String] { participants[scenario.name] ?? contenders }
}

package struct RunProgress: Sendable, Hashable {
  package var scenario: String
  /// The number of samples so far, including the warm-up.
  package var samples: Int
  package var unit = "samples"
  /// The current phase, such as `warm-up`; `nil` while samples are measured.
  package var phase: String?
  /// The elapsed share of the expected time, from 0 to 1.
  package var fraction: Double
  /// `nil` until each contender has ended a post in each scenario, or the budget is used up.
  package var forecast: Forecast?

  /// The expected duration of a run that has a budget, and its slowest post (a job of uploads).
  package struct Forecast: Sendable, Hashable {
    package var nanoseconds: Double
    package var longestPost: CellKey
    package var longestPostNanoseconds: Double
    /// The minimum duration of the current generation, whatever the budget. The first generation has the longest minimum.
    package var generationNanoseconds: Double
  }

  package init(
    scenario: String, samples: Int, unit: String = "samples", phase: String? = nil, fraction: Double
  ) {
    (self.scenario, self.samples, self.unit, self.fraction) = (scenario, samples, unit, fraction)
    self.phase = phase
  }
}

/// The rule for dropping samples that other work on the machine disturbed: fixed before the run, equal for all contenders.
///
/// Steal time drops single samples, not rounds: if every tenth sample has some, two of three rounds would go. Preemptions do
/// not count, because they depend on the contender's own threads.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double
  /// A round is disturbed if other processes took this much more of the processors' time than in the median earlier round, and
  /// at least ``burstNanoseconds`` more, because the kernel counts in steps of 10 ms.
  package var burstShare = 0.25
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: from 0 to 1. With 1 or more, steal time drops no sample.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// Whether other processes disturbed a round. `share` is their share of the CPU time in the median earlier round.
  package func isDisturbed(by taken: TakenTime, usually share: Double) -> Bool {
    let more = taken.nanoseconds - share * taken.ofNanoseconds
    return more > max(burstShare * taken.ofNanoseconds, burstNanoseconds)
  }

  package var steal: String { "the hypervisor took more than \(stealShare * 100) % of a sample's time" }

  /// The rule as runs record it. Runs whose texts differ cannot be merged, so another wording separates new runs from old ones.
  package var description: String {
    "a sample is dropped if steal took more than \(stealShare * 100) % of it, and a round of a scenario for all contenders if other processes took \(Int(burstShare * 100)) % of the processors' time, and \(Int(burstNanoseconds / 1_000_000)) ms, more than in the median of its rounds before"
  }
}

/// The order of a scenario's contenders in each round, by a Williams design (E. J. Williams, 1949).
///
/// Each contender has each position equally often, and follows each other contender equally often.
package struct Schedule: Sendable {
  /// The order of contenders' indices in each round.
  package let rows: [[Int]]

  package init(contenderCount count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = (0..<count).shuffled(using: &generator)
    let first = Self.firstRow(count)
    var rows = (0..<max(1, count)).map { shift in first.map { ($0 + shift) % count } }
    if count % 2 == 1, count > 1 { rows += rows.map { $0.reversed() } }
    self.rows = rows.map { $0.map { letters[$0] } }.shuffled(using: &generator)
  }

  /// The contenders' indices in the order of one round.
  package func order(round: Int) -> [Int] { rows[round % rows.count] }

  /// The first row of the Williams design, 0, 1, n−1, 2, n−2, …: each distance between neighbours occurs once.
  private static func firstRow(_ count: Int) -> [Int] {
    (0..<count).map { position in
      position == 0 ? 0 : position % 2 == 1 ? (position + 1) / 2 : count - position / 2
    }
  }
}

/// By contender and scenario, the number of posts (jobs of uploads) in a sample, so that all samples take about as long.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [CellKey: Int] = [:]
  /// The number of untimed posts at the start of a sample.
  private var unmeasured: [CellKey: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// Derives the number of posts from a warm-up sample: the fastest one, since slower ones were disturbed or cold.
  mutating func learn(_ cell: CellKey, _ scenario: Work, from reply: SampleReply) {
    guard reply.outcome == .measured, reply.wallNanoseconds > 0 else { return }
    let posts = Double(reply.iterations) / Double(reply.wallNanoseconds)
    let needed = (Double(plan.sampleNanoseconds) * posts).rounded(.up)
    let affordable = Double(plan.longestSampleNanoseconds) * posts
    let count = max(
      iterations(of: cell), scenario.leastIterations,
      Int(min(needed, affordable, Double(scenario.mostIterations))))
    iterations[cell] = count
    // In a long post, cold caches cost only a small share of the time.
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
