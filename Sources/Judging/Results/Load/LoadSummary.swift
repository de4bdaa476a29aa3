/// All windows of one contender, scenario and rate together: a row of load_summary.csv.
///
/// `nil` means unknown and is written as an empty cell. The meaning of each value is documented once, in ``columns``.
public struct LoadSummary: Sendable, Hashable {
  public var subject: LoadSubject
  public var offeredPerSecond: Double
  public var windows: Int
  public var disturbedWindows: Int
  public var posts: Int
  public var outcome: Outcome
  public var reason: String?
  public var figures: LoadFigures
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init(
    subject: LoadSubject, offeredPerSecond: Double, windows: Int, disturbedWindows: Int = 0, posts: Int,
    outcome: Outcome, reason: String? = nil, figures: LoadFigures = LoadFigures(),
    objectivePercentile: String? = nil, objectiveNanoseconds: Int? = nil, verdict: LoadVerdict? = nil
  ) {
    self.subject = subject
    self.offeredPerSecond = offeredPerSecond
    self.windows = windows
    self.disturbedWindows = disturbedWindows
    self.posts = posts
    self.outcome = outcome
    self.reason = reason
    self.figures = figures
    self.objectivePercentile = objectivePercentile
    self.objectiveNanoseconds = objectiveNanoseconds
    self.verdict = verdict
  }
}
