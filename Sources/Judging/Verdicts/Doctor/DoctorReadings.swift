import Results

/// What was measured and read of a machine: all that the doctor judges by.
public struct DoctorReadings: FilledRecord {
  /// Pairs of one and the same build, taken in one way.
  public struct Mode: Sendable {
    public let mode: DoctorMode
    public let spreads: [Spread]
    /// What was done with a check that measures so.
    public let terms: Resolution.Terms
    /// nil: there were too few pairs to know.
    public let resolution: Resolution?

    public init(_ mode: DoctorMode, _ spreads: [Spread], _ terms: Resolution.Terms, _ resolution: Resolution?)
    {
      self.mode = mode
      self.spreads = spreads
      self.terms = terms
      self.resolution = resolution
    }
  }

  /// A post that lasts no longer than any other.
  public struct ShortestPost: Sendable, Equatable, Encodable {
    public let scenario: String
    public let nanoseconds: Double

    private enum CodingKeys: String, CodingKey { case scenario, nanoseconds = "wall_ns" }

    public init(scenario: String, nanoseconds: Double) {
      self.scenario = scenario
      self.nanoseconds = nanoseconds
    }
  }

  public var machine = MachineRecord()
  public var isReleaseBuild = false
  /// What a check measures unless it is told otherwise comes first.
  public var modes: [Mode] = []
  /// Whether it is wall times that this is about, not cost.
  public var asksForWall = false
  public var harnessOverheadNanoseconds = 0.0
  public var shortestPost: ShortestPost?
  /// What could not be measured and why, a sentence each.
  public var failures: [String] = []
  public var seconds = 0.0

  public init() {}

  /// How a check of cost or of wall times measures on this machine; nil: it was not tried.
  func mode(ofCost isCost: Bool) -> Mode? { modes.first { $0.mode.isCost == isCost } }
}

extension DoctorReadings.Mode {
  /// Whether a check that is told nothing else is decided within its budget.
  var resolvesUsualMargin: Bool {
    resolution?.usualSeconds.map { $0 <= terms.budgetSeconds } ?? false
  }
}

/// A way to measure both builds of a check: what of them, and where they are placed.
public enum DoctorMode: String, Sendable, Hashable, CaseIterable {
  case costOnOneProcessor = "cost on one processor"
  case costAsIs = "cost as is"
  case wallAtRealTime = "wall at real-time priority"
  case wallAsIs = "wall as is"

  /// Processor time; otherwise time on the clock.
  public var isCost: Bool { self == .costOnOneProcessor || self == .costAsIs }
}
