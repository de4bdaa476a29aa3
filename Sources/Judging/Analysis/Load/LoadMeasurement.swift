import Results

/// What was seen of one window of load, before it is judged.
public struct LoadMeasurement: Sendable {
  public var subject: LoadSubject
  public var round: Int
  public var position: Int
  public var offeredPerSecond: Double
  public var windowNanoseconds: UInt64
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  public var wrong = 0
  public var peakInFlight = 0
  /// Whether the window ended early because as many posts were under way as may be.
  public var isFull = false
  public var drainNanoseconds: UInt64 = 0
  /// The median latency of the posts of the window's first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  public var idealNanoseconds: UInt64?
  public var latencies = LogHistogram()
  public var lateness = LogHistogram()
  public var holdUps = LogHistogram()
  /// Of the worker, over all its threads.
  public var processNanoseconds: UInt64 = 0
  /// Of all processors; nil: unknown.
  public var busyNanoseconds: UInt64?
  public var idleNanoseconds: UInt64?
  public var stealNanoseconds: UInt64?
  public var outcome = Outcome.measured
  public var reason: String?

  public init(
    subject: LoadSubject, round: Int, position: Int, offeredPerSecond: Double, windowNanoseconds: UInt64
  ) {
    self.subject = subject
    self.round = round
    self.position = position
    self.offeredPerSecond = offeredPerSecond
    self.windowNanoseconds = windowNanoseconds
  }

  /// How much longer the last posts took than those of the first quarter: what had piled up.
  var backlogNanoseconds: UInt64 {
    let early = earlyLatencyNanoseconds ?? 0
    return drainNanoseconds > early ? drainNanoseconds - early : 0
  }

  /// The row of load.csv.
  public func row(_ rule: LoadRule) -> LoadWindow {
    LoadWindow(
      subject: subject, round: round, position: position, offeredPerSecond: offeredPerSecond,
      windowNanoseconds: Int(windowNanoseconds), due: due, completed: completed, givenUp: givenUp,
      wrong: wrong, peakInFlight: peakInFlight, drainNanoseconds: Int(drainNanoseconds),
      idealNanoseconds: idealNanoseconds.map { Int($0) }, stealNanoseconds: stealNanoseconds.map { Int($0) },
      outcome: outcome, reason: reason,
      figures: outcome == .measured ? LoadFigures(of: [self]) : LoadFigures(),
      objectivePercentile: rule.objective?.name,
      objectiveNanoseconds: rule.objective.map { Int($0.nanoseconds) }, verdict: rule.verdict(of: self))
  }
}
