/// Which cells of two builds are set side by side, and how.
public struct DuetPlan<Work: Workload>: Sendable {
  /// What of a sample is compared.
  public enum Measure: String, Codable, Sendable, CaseIterable {
    /// Processor time of the whole process, user and system.
    case cost
    /// Time on the clock, from the start of a post to its completion.
    case wall
  }

  /// Names that both builds know, in the order in which reports show them.
  public var contenders: [String]
  /// What is measured, each with a name of its own.
  public var scenarios: [Work]
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  public var participants: [String: [String]]
  /// What of a sample is compared.
  public var measure: Measure
  /// Samples of each cell in each fresh worker before those that count.
  public var warmUpSamples: Int
  /// Samples of each side in a pair.
  public var samples: Int
  /// Samples are lengthened to at least this by repeating the post.
  public var sampleNanoseconds: UInt64
  /// When to begin no further pair.
  public var budgetNanoseconds: UInt64
  /// Which samples count; a disturbed one takes its partner of the other side with it.
  public var dropRule: DropRule
  /// What the order of the cells, and who begins, are drawn from.
  public var seed: UInt64

  /// Processor time, twelve samples a pair, for two minutes, unless the other parameters say more.
  public init(
    contenders: [String], scenarios: [Work], participants: [String: [String]] = [:], measure: Measure = .cost,
    warmUpSamples: Int = 3, samples: Int = 12, sampleNanoseconds: UInt64 = 2_000_000,
    budgetNanoseconds: UInt64 = 120_000_000_000, dropRule: DropRule = DropRule(), seed: UInt64 = 1
  ) {
    self.contenders = contenders
    self.scenarios = scenarios
    self.participants = participants
    self.measure = measure
    self.warmUpSamples = warmUpSamples
    self.samples = samples
    self.sampleNanoseconds = sampleNanoseconds
    self.budgetNanoseconds = budgetNanoseconds
    self.dropRule = dropRule
    self.seed = seed
  }

  func scenarios(of contender: String) -> [Work] {
    scenarios.filter { (participants[$0.name] ?? contenders).contains(contender) }
  }
}
