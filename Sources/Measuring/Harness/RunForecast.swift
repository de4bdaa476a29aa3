import Results

/// Forecasts the remaining time of a run from the durations so far. A run has generations, each with new worker processes; each
/// has a warm-up, a count of allocations, and as many rounds of samples as fit into its share of the budget.
struct RunForecast<Work: Workload> {
  enum Part: Comparable, CaseIterable {
    case warmUp, counting, rounds
  }

  enum Step { case cold, warm, counting, memory, sample }

  struct Position {
    var generation = 0
    var part = Part.warmUp
    /// The number of the round within the generation, from 1.
    var round = 1
    /// The scenarios that are done in the current part of the generation or, among the timed rounds, in the current round.
    var done: Set<String> = []
    var scenario = ""
    var begin: UInt64 = 0
    /// When this generation's share of the time budget ends.
    var end: UInt64 = 0
  }

  private let plan: RunPlan<Work>
  private var nanoseconds: [Step: [CellKey: Double]] = [:]
  private var posts: [CellKey: Double] = [:]

  init(_ plan: RunPlan<Work>) { self.plan = plan }

  /// Stores the latest duration of a step, including the worker's work before and after it.
  mutating func learn(_ step: Step, _ cell: CellKey, nanoseconds: UInt64, from reply: SampleReply) {
    self.nanoseconds[step, default: [:]][cell] = Double(nanoseconds)
    if reply.outcome == .measured, step != .counting, step != .memory {
      posts[cell] = Double(reply.wallNanoseconds) / Double(max(reply.iterations, 1))
    }
  }

  /// The slowest post so far, with its contender and scenario.
  var longestPost: (cell: CellKey, nanoseconds: Double)? {
    posts.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }.map { ($0.key, $0.value) }
  }

  /// Whether enough was measured to forecast a sample. If posts overlap, the duration of a single post is not enough.
  func knows(_ cell: CellKey, of scenario: Work) -> Bool {
    nanoseconds[scenario.leastIterations > 1 ? .warm : .cold]?[cell] != nil
  }

  /// Forecasts how long the warm-up, the counting or one round takes. `isBrief` means two samples of each contender.
  func turn(
    _ part: Part, _ scenario: Work, _ cells: [CellKey], generation: Int, lengths: SampleLengths<Work>,
    isBrief: Bool
  ) -> Double {
    let colds = cells.compactMap { nanoseconds[.cold]?[$0] }
    let usual = colds.isEmpty ? 0 : colds.reduce(0, +) / Double(colds.count)
    func time(_ step: Step, _ cell: CellKey) -> Double {
      if let known = nanoseconds[step]?[cell] { return known }
      let cold = nanoseconds[.cold]?[cell] ?? usual
      switch step {
      case .cold, .counting, .memory: return cold
      case .warm, .sample:
        if let warm = nanoseconds[.warm]?[cell] { return warm }
        if scenario.leastIterations > 1 { return cold }
        return cold + posts[cell, default: 0] * Double(lengths.posts(of: cell) - 1)
      }
    }
    return cells.reduce(0) { sum, cell in
      switch part {
      case .warmUp:
        let repetitions = isBrief ? 1 : generation == 0 ? plan.warmUpSamples : min(2, plan.warmUpSamples)
        let most = lengths.iterations(of: cell) == 1 ? (generation == 0 ? 2 : 1) : repetitions
        return sum + time(.cold, cell) + Double(max(0, min(repetitions, most) - 1)) * time(.warm, cell)
      case .counting:
        if isBrief || generation >= plan.countedGenerations { return sum }
        let memory = generation == 0 && scenario.forMemory != nil ? time(.memory, cell) : 0
        return sum + time(.counting, cell) + memory
      case .rounds: return sum + time(.sample, cell) * (cell.contender == plan.twice[cell.scenario] ? 2 : 1)
      }
    }
  }

  /// - Parameters:
  ///   - spent: the part of the budget that is used up, in nanoseconds.
  ///   - undisturbed: the undisturbed rounds of each scenario. A run has a minimum of them, even beyond the budget.
  ///   - turn: returns how long a scenario takes in one part of a generation.
  func nanosecondsLeft(
    at position: Position, now: UInt64, spent: Double, undisturbed: [String: Int],
    turn: (Part, Work, Int) -> Double
  ) -> Double {
    var left = 0.0
    var had = undisturbed
    var known: [Int: [Part: [Double]]] = [:]
    /// The forecast by part and scenario. Generations with the same steps share one entry of `known`.
    func turns(_ generation: Int) -> [Part: [Double]] {
      let kind = generation == position.generation ? -1 : min(generation, max(1, plan.countedGenerations))
      if let turns = known[kind] { return turns }
      let turns = Dictionary(
        uniqueKeysWithValues: Part.allCases.map { part in
          (part, plan.scenarios.map { turn(part, $0, generation) })
        })
      known[kind] = turns
      return turns
    }
    for generation in position.generation..<plan.generations {
      let isCurrent = generation == position.generation
      let turns = turns(generation)
      func sum(_ part: Part) -> Double {
        zip(plan.scenarios, turns[part, default: []]).reduce(0) { sum, next in
          let (name, turn) = (next.0.name, next.1)
          if isCurrent, part < position.part || part == position.part && position.done.contains(name) {
            return sum
          }
          let isUnderWay = isCurrent && part == position.part && name == position.scenario
          return sum + (isUnderWay ? max(0, turn - Double(now - position.begin)) : turn)
        }
      }
      left += sum(.warmUp) + sum(.counting)
      let isMeasuring = isCurrent && position.part == .rounds
      let share =
        isMeasuring
        ? Double(position.end) - Double(now)
        : (Double(plan.budgetNanoseconds) - spent - left) / Double(plan.generations - generation)
      // While no duration is known, the budget serves as the forecast.
      if nanoseconds.isEmpty, plan.rounds == nil {
        left += max(0, share)
        continue
      }
      let first = sum(.rounds)
      let round = turns[.rounds, default: []].reduce(0, +)
      let more =
        plan.rounds.map { $0 - (isMeasuring ? position.round : 1) }
        ?? (round > 0 ? Int(max(0, min((share - first) / round, 1e9)).rounded()) : 0)
      left += first
      for (scenario, turn) in zip(plan.scenarios, turns[.rounds, default: []]) {
        let first = isMeasuring && position.done.contains(scenario.name) ? 0 : 1
        let owed = plan.owedRounds(by: generation) - had[scenario.name, default: 0] - first
        let further = plan.rounds == nil ? max(more, owed) : more
        left += Double(further) * turn
        had[scenario.name, default: 0] += further + first
      }
    }
    return left
  }
}
