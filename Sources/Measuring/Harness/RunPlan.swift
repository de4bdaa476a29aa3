import Results
import UploadScenario

/// What a run measures, on whom, and for how long.
package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// How many sets of fresh workers.
  package var generations = 6
  /// When to stop adding rounds; every generation takes at least one, of what takes no longer than this by itself.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// Rounds, most of whose samples are undisturbed, that each scenario is to have beyond the budget; a machine that is disturbed
  /// all the time has fewer.
  package var leastRounds = 0
  /// Who has two samples in each round, by scenario name, because all others are compared with it: their ratios then vary by a
  /// quarter less.
  package var twice: [String: String] = [:]
  /// Rounds of each generation that settled cells take: what is recorded is compared generation by generation.
  package var roundsOfSettled = 2
  /// In how many generations they do; in later ones they are not even started.
  package var generationsOfSettled = 4
  /// Exactly so many rounds a generation, whatever the budget.
  package var rounds: Int?
  /// Samples of each worker of the first generation before those that count: they tell how many posts a sample needs. Later
  /// generations take two.
  package var warmUpSamples = 3
  /// How many generations begin with counting passes: more than one, to know what is the same in every process.
  package var countedGenerations = 2
  /// What the order of contenders and scenarios is drawn from; scenarios have seeds of their own.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// Samples are lengthened to about this by repeating the post: many short ones are better than few long ones.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts begins with as many that are not timed: one millisecond is then as good as four.
  package var warmsSamples = true
  /// But not beyond this.
  package var longestSampleNanoseconds = UInt64.max
  /// What the machine is called; nil: a name of its own is made up.
  package var machine: String?
  /// Which part of a whole this is; nil: the whole.
  package var shard: ShardRecord?
  /// How long a post may take before it is given up; nil: far longer than anything that works.
  package var timeoutNanoseconds: UInt64?
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  package var participants: [String: [String]] = [:]

  /// What ``sampleNanoseconds`` is unless it is told otherwise.
  package static var usualSampleNanoseconds: UInt64 { 1_000_000 }

  /// Nothing is checked; `participants` must name contenders of the plan.
  package init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  /// How many undisturbed rounds a scenario is to have by the end of a generation, which brings its share.
  func owedRounds(by generation: Int) -> Int {
    (leastRounds * (generation + 1) + generations - 1) / generations
  }

  package func contenders(of scenario: Work) -> [String] { participants[scenario.name] ?? contenders }
}

/// How far a run has come.
package struct RunProgress: Sendable, Hashable {
  /// The name of the scenario whose turn it is.
  package var scenario: String
  /// How many have been taken, those that do not count included.
  package var samples: Int
  package var unit = "samples"
  /// What is done besides measuring, such as `warm-up`; nil: nothing.
  package var phase: String?
  /// From 0 to 1: the share of the time that it probably takes.
  package var fraction: Double
  /// nil until a post of every cell has been done, or the budget is used up.
  package var forecast: Forecast?

  /// How long a run takes that has a budget, and what takes so long.
  package struct Forecast: Sendable, Hashable {
    /// From its start to its end.
    package var nanoseconds: Double
    package var longestPost: CellKey
    package var longestPostNanoseconds: Double
    /// What this generation does at least, whatever the budget; the first does most.
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

/// Which samples, and which whole rounds, others have disturbed from outside: stated before the run, the same for every contender.
///
/// Steal falls on one sample and leaves the others of its round as they are. What is compared are pairs of a round, so a pair is
/// left out if either of its samples is. Where the hypervisor takes time from every tenth sample, two rounds of three have such a
/// sample: to leave out whole rounds would leave next to nothing.
///
/// How often a contender is preempted comes of its own threads: to drop by that would be to choose by the outcome.
package struct DropRule: Sendable, Hashable, CustomStringConvertible {
  /// A sample is disturbed if the hypervisor took more than this share of its time.
  package var stealShare: Double
  /// A round is disturbed if other processes took so much more of the processors than in the median of its rounds before,
  package var burstShare = 0.25
  /// and so much more time: the kernel says it in ticks.
  package var burstNanoseconds = 30_000_000.0

  /// - Parameter stealShare: from 0 to 1; of 1 or more, steal disturbs nothing.
  package init(stealShare: Double = 0.01) { self.stealShare = stealShare }

  /// Whether a sample was disturbed. Unknown steal disturbs nothing.
  package func isDisturbed(_ reply: SampleReply) -> Bool {
    let steal = reply.disturbance.stealNanoseconds ?? 0
    return Double(steal) > stealShare * Double(reply.wallNanoseconds)
  }

  /// Whether a round was disturbed by time that others took; `share` is what they took in the median of its rounds before it.
  package func isDisturbed(by taken: TakenTime, usually share: Double) -> Bool {
    let more = taken.nanoseconds - share * taken.ofNanoseconds
    return more > max(burstShare * taken.ofNanoseconds, burstNanoseconds)
  }

  /// The rule for the pairs of a check as a clause.
  package var steal: String { "steal took more than \(stealShare * 100) % of one's sample" }

  package var description: String {
    "a sample is dropped if steal took more than \(stealShare * 100) % of it, and a round of a scenario for all contenders if other processes took \(Int(burstShare * 100)) % of the processors' time, and \(Int(burstNanoseconds / 1_000_000)) ms, more than in the median of its rounds before"
  }
}

/// The order in which the contenders of one scenario take their turns: a Williams design (E. J. Williams, 1949).
///
/// Over all rows each contender takes each position, and follows each other one, equally often. An odd number takes two squares.
package struct Schedule: Sendable {
  /// Each row lists contender indices in the order of their turns.
  package let rows: [[Int]]

  /// Rows are permuted, and contenders are assigned to the design's letters, by `seed`.
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

/// How many posts the samples of each cell have, so that they last about as long as everybody's.
struct SampleLengths<Work: Workload> {
  private let plan: RunPlan<Work>
  private var iterations: [CellKey: Int] = [:]
  /// How many posts a sample begins with that are not timed.
  private var unmeasured: [CellKey: Int] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// What a warm-up sample says of it. Of several the fastest counts: a slow one was disturbed, or cold.
  mutating func learn(_ cell: CellKey, _ scenario: Work, from reply: SampleReply) {
    guard reply.outcome == .measured, reply.wallNanoseconds > 0 else { return }
    let posts = Double(reply.iterations) / Double(reply.wallNanoseconds)
    let needed = (Double(plan.sampleNanoseconds) * posts).rounded(.up)
    let affordable = Double(plan.longestSampleNanoseconds) * posts
    let count = max(
      iterations(of: cell), scenario.leastIterations,
      Int(min(needed, affordable, Double(scenario.mostIterations))))
    iterations[cell] = count
    // What one that lasts several samples' time finds cold is a small part of it.
    let isWarmed = scenario.isWarmed ?? (1 / posts <= 4 * Double(plan.sampleNanoseconds))
    unmeasured[cell] = plan.warmsSamples && scenario.mostIterations > 1 && isWarmed ? count : nil
  }

  /// 1 before anything is known of it.
  func iterations(of cell: CellKey) -> Int { iterations[cell] ?? 1 }

  /// How many posts a sample is, with those that are not timed.
  func posts(of cell: CellKey) -> Int { iterations(of: cell) + (unmeasured[cell] ?? 0) }

  /// A whole sample of a cell.
  func request(_ cell: CellKey, _ scenario: Work) -> SampleRequest<Work> {
    SampleRequest(
      scenario: scenario, iterations: iterations(of: cell), unmeasured: unmeasured[cell],
      timeoutNanoseconds: plan.timeoutNanoseconds)
  }
}
