import Results
import UploadScenario

package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// Sets of new workers.
  package var generations = 6
  /// No round starts after this; every generation takes at least one of each scenario that is not slower by itself.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// Rounds of mostly undisturbed samples that each scenario takes beyond the budget; on a very noisy machine fewer.
  package var leastRounds = 0
  /// The contender with two samples in each round, by scenario name: the reference, so that ratios vary by a quarter less.
  package var twice: [String: String] = [:]
  /// Rounds of settled cells in each generation, so that recorded runs can be compared generation by generation.
  package var roundsOfSettled = 2
  /// Generations with settled cells; later ones do not start them.
  package var generationsOfSettled = 4
  /// The exact number of rounds in a generation, whatever the budget.
  package var rounds: Int?
  /// Warm-up samples of each worker of the first generation, which also decide the number of posts in a sample. Later generations
  /// take two.
  package var warmUpSamples = 3
  /// Generations with counting passes: more than one, to find counts that are equal in every process.
  package var countedGenerations = 2
  /// The seed of the order of contenders and scenarios; scenarios have their own.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// Samples repeat the post until they last about this long: many short samples are better than few long ones.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts begins with as many untimed ones: one millisecond is then as good as four.
  package var warmsSamples = true
  /// The upper limit of a sample's length.
  package var longestSampleNanoseconds = UInt64.max
  package var machine: String?
  package var shard: ShardRecord?
  /// How long a post may take; nil: a limit that no working contender reaches.
  package var timeoutNanoseconds: UInt64?
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  package var participants: [String: [String]] = [:]

  package static var usualSampleNanoseconds: UInt64 { 1_000_000 }

  /// Checks nothing; `participants` must name contenders of the plan.
  package init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  /// How many undisturbed rounds are due to a scenario by the end of a generation.
  func owedRounds(by generation: Int) -> Int {
    (leastRounds * (generation + 1) + generations - 1) / generations
  }

  package func contenders(of scenario: Work) -> [String] { participants[scenario.name] ?? contenders }
}

package struct RunProgress: Sendable, Hashable {
  package var scenario: String
  /// The number of samples so far, warm-up included.
  package var samples: Int
  package var unit = "samples"
  /// The current phase, such as `warm-up`; nil while it measures.
  package var phase: String?
  /// The share of the expected time, from 0 to 1.
  package var fraction: Double
  /// nil until a post of every cell has ended, or the budget is used up.
  package var forecast: Forecast?

  /// The expected time of a run that has a budget, and its slowest post.
  package struct Forecast: Sendable, Hashable {
    package var nanoseconds: Double
    package var longestPost: CellKey
    package var longestPostNanoseconds: Double
    /// The least time of this generation, whatever the budget; the first one's is the longest.
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

/// Which samples, and which whole rounds, other load has disturbed: stated before the run, and the same for every contender.
///
/// Steal disturbs single samples: on a machine where it hits every tenth one, two of three rounds have such a sample, so dropping
/// whole rounds would leave next to nothing. Preemptions do not count, because they depend on the contender's own threads.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double
  /// A round is disturbed if other processes took this much more of the processors than in the median of earlier rounds, and at
  /// least ``burstNanoseconds`` more, because the kernel counts ticks.
  package var burstShare = 0.25
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: from 0 to 1; with 1 or more, steal disturbs nothing.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. Unknown steal disturbs nothing.
  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// Whether a round was disturbed by other processes; `share` is their median share in earlier rounds.
  package func isDisturbed(by taken: TakenTime, usually share: Double) -> Bool {
    let more = taken.nanoseconds - share * taken.ofNanoseconds
    return more > max(burstShare * taken.ofNanoseconds, burstNanoseconds)
  }

  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String {
    "a sample is dropped if steal took more than \(stealShare * 100) % of it, and a round of a scenario for all contenders if other processes took \(Int(burstShare * 100)) % of the processors' time, and \(Int(burstNanoseconds / 1_000_000)) ms, more than in the median of its rounds before"
  }
}

/// The order of a scenario's contenders in each round: a Williams design (E. J. Williams, 1949).
///
/// Over all rows each contender has each position, and follows each other one, equally often. An odd number needs two squares.
package struct Schedule: Sendable {
  /// Contender indices, a row for each round.
  package let rows: [[Int]]

  /// `seed` permutes the rows and assigns contenders to the design's letters.
  package init(contenderCount count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = (0..<count).shuffled(using: &generator)
    let first = Self.firstRow(count)
    var rows = (0..<max(1, count)).map { shift in first.map { ($0 + shift) % count } }
    if count % 2 == 1, count > 1 { rows += rows.map { $0.reversed() } }
    self.rows = rows.map { $0.map { letters[$0] } }.shuffled(using: &generator)
  }

  /// The order of one round; rounds beyond the last row start again.
  package func order(round: Int) -> [Int] { rows[round % rows.count] }

  /// 0, 1, n−1, 2, n−2, …: neighbours differ by every distance once.
  private static func firstRow(_ count: Int) -> [Int] {
    (0..<count).map { position in
      position == 0 ? 0 : position % 2 == 1 ? (position + 1) / 2 : count - position / 2
    }
  }
}

/// The number of posts in each cell's samples, so that all samples last about equally long.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [CellKey: Int] = [:]
  /// The number of untimed posts at a sample's start.
  private var unmeasured: [CellKey: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// Learns from a warm-up sample. Of several the fastest counts: a slow one was disturbed, or cold.
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
