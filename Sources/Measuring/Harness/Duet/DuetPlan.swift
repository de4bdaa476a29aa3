import Results

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
  /// Before everything that has no real-time priority: time on the clock repeats best so. It takes a privilege.
  case realTime
  /// Both at once: one thread at a time until it waits, so that the same happens every time. It takes the same privilege.
  case inTurn(Int)

  /// What stands before the command that is to be placed.
  var prefix: [String] {
    switch self {
    case .anywhere: []
    case .oneProcessor(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--batch", "0"]
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
  package static var lastProcessor: Int? { ProcessorList.allowed(.here)?.last }
}
