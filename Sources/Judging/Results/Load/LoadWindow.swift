/// One window of load: a row of load.csv.
///
/// `nil` means unknown and is written as an empty cell. The meaning of each value is documented once, in ``columns``.
public struct LoadWindow: Sendable, Hashable {
  public var subject: LoadSubject
  public var round: Int
  public var position: Int
  public var offeredPerSecond: Double
  public var windowNanoseconds: Int
  public var due: Int
  public var completed: Int
  public var givenUp: Int
  public var wrong: Int
  public var peakInFlight: Int
  public var drainNanoseconds: Int
  public var idealNanoseconds: Int?
  public var stealNanoseconds: Int?
  public var outcome: Outcome
  public var reason: String?
  public var figures: LoadFigures
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init(
    subject: LoadSubject, round: Int, position: Int, offeredPerSecond: Double, windowNanoseconds: Int,
    due: Int, completed: Int, givenUp: Int = 0, wrong: Int = 0, peakInFlight: Int, drainNanoseconds: Int,
    idealNanoseconds: Int? = nil, stealNanoseconds: Int? = nil, outcome: Outcome, reason: String? = nil,
    figures: LoadFigures = LoadFigures(), objectivePercentile: String? = nil,
    objectiveNanoseconds: Int? = nil, verdict: LoadVerdict? = nil
  ) {
    self.subject = subject
    self.round = round
    self.position = position
    self.offeredPerSecond = offeredPerSecond
    self.windowNanoseconds = windowNanoseconds
    self.due = due
    self.completed = completed
    self.givenUp = givenUp
    self.wrong = wrong
    self.peakInFlight = peakInFlight
    self.drainNanoseconds = drainNanoseconds
    self.idealNanoseconds = idealNanoseconds
    self.stealNanoseconds = stealNanoseconds
    self.outcome = outcome
    self.reason = reason
    self.figures = figures
    self.objectivePercentile = objectivePercentile
    self.objectiveNanoseconds = objectiveNanoseconds
    self.verdict = verdict
  }
}
