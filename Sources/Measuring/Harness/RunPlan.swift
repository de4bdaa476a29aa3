import Results

/// What a run measures, on whom, and for how long.
public struct RunPlan<Work: Workload>: Sendable {
  /// The run's name, which every sample carries.
  public var run: String
  /// Names that the launcher knows, in the order in which reports show them.
  public var contenders: [String]
  /// What is measured, each with a name of its own.
  public var scenarios: [Work]
  /// How many sets of fresh workers.
  public var generations = 6
  /// When to stop adding rounds; every generation takes at least one.
  public var budgetNanoseconds: UInt64 = 60_000_000_000
  /// How many undisturbed rounds each scenario is to have in the end, although the budget is used up; a machine that is
  /// disturbed all the time has fewer.
  public var leastRounds = 0
  /// Exactly so many rounds a generation, whatever the budget.
  public var rounds: Int?
  /// Samples taken in each fresh worker before those that count.
  public var warmUpSamples = 3
  /// How many generations begin with counting passes: more than one, to know what is the same in every process.
  public var countedGenerations = 2
  /// What the order of contenders and scenarios is drawn from; scenarios have seeds of their own.
  public var seed: UInt64 = 1
  /// Which samples count.
  public var dropRule = DropRule()
  /// Samples are lengthened to at least this by repeating the post: long against the clock, and against coming back to
  /// caches that the other workers have used meanwhile.
  public var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// But not beyond this for the slowest contender.
  public var longestSampleNanoseconds = UInt64.max
  /// What the machine is called; nil: a name of its own is made up.
  public var machine: String?
  /// Which part of a whole this is; nil: the whole.
  public var shard: ShardRecord?
  /// How long a post may take before it is given up; nil: far longer than anything that works.
  public var timeoutNanoseconds: UInt64?
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  public var participants: [String: [String]] = [:]

  /// What ``sampleNanoseconds`` is unless it is told otherwise.
  public static var usualSampleNanoseconds: UInt64 { 4_000_000 }

  /// Six generations within a minute, unless `configure` says otherwise. Nothing is checked; `participants` must name
  /// contenders of the plan.
  public init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  /// Who takes part in a scenario.
  public func contenders(of scenario: Work) -> [String] { participants[scenario.name] ?? contenders }
}

/// How far a run has come.
public struct RunProgress: Sendable, Hashable {
  /// The set of workers that is at work, from 0.
  public var generation: Int
  /// How many there are to be.
  public var generations: Int
  /// The pass over all cells in this generation, from 1.
  public var round: Int
  /// The name of the scenario whose turn it is.
  public var scenario: String
  /// How many have been taken, those that do not count included.
  public var samples: Int
  /// What they are called.
  public var unit: String
  /// From 0 to 1: the share of the budget, or of the planned rounds, that is used.
  public var fraction: Double

  /// Generations count from 0, rounds from 1; `unit` is what the samples are called.
  public init(
    generation: Int = 0, generations: Int = 1, round: Int = 0, scenario: String, samples: Int,
    unit: String = "samples", fraction: Double
  ) {
    self.generation = generation
    self.generations = generations
    self.round = round
    self.scenario = scenario
    self.samples = samples
    self.unit = unit
    self.fraction = fraction
  }
}
