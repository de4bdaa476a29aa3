import Results

/// What a run measures, on whom, and for how long.
package struct RunPlan<Work: Workload>: Sendable {
  package var run: String
  package var contenders: [String]
  package var scenarios: [Work]
  /// How many sets of fresh workers.
  package var generations = 6
  /// When to stop adding rounds; every generation takes at least one, of what takes no longer than this by itself.
  package var budgetNanoseconds: UInt64 = 60_000_000_000
  /// How many undisturbed rounds each scenario is to have in the end, although the budget is used up; a machine that is
  /// disturbed all the time has fewer.
  package var leastRounds = 0
  /// Who has two samples in each round, because all others are compared with it: for a seventh more of the time in a round of
  /// eight, their ratios vary by a quarter less.
  package var twice: String?
  /// How many rounds of each generation those cells take that need no more: what is recorded is compared generation by
  /// generation.
  package var roundsOfSettled = 2
  /// Exactly so many rounds a generation, whatever the budget.
  package var rounds: Int?
  /// Samples that each worker of the first generation takes before those that count: one of a single post, then longer ones, by
  /// which it is known how many posts a sample needs. Later generations know that, and take two.
  package var warmUpSamples = 3
  /// How many generations begin with counting passes: more than one, to know what is the same in every process.
  package var countedGenerations = 2
  /// What the order of contenders and scenarios is drawn from; scenarios have seeds of their own.
  package var seed: UInt64 = 1
  package var dropRule = DropRule()
  /// Samples are lengthened to about this by repeating the post. Longer ones spread as much, since what differs is how the system
  /// places a sample's threads; so many short ones are better.
  package var sampleNanoseconds = RunPlan.usualSampleNanoseconds
  /// Whether a sample of several posts begins with as many that are not timed. With them one millisecond is as good as four: it is
  /// as spread, and nearer to what eight find.
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

  /// Six generations within a minute, unless `configure` says otherwise. Nothing is checked; `participants` must name
  /// contenders of the plan.
  package init(
    run: String, contenders: [String], scenarios: [Work], configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.run = run
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
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
  /// From 0 to 1: the share of the budget, or of the planned rounds, that is used.
  package var fraction: Double

  package init(
    scenario: String, samples: Int, unit: String = "samples", phase: String? = nil, fraction: Double
  ) {
    (self.scenario, self.samples, self.unit, self.fraction) = (scenario, samples, unit, fraction)
    self.phase = phase
  }
}
