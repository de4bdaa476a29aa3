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
    LoadWindow {
      $0.subject = subject
      $0.round = round
      $0.position = position
      $0.offeredPerSecond = offeredPerSecond
      $0.windowNanoseconds = Int(windowNanoseconds)
      $0.due = due
      $0.completed = completed
      $0.givenUp = givenUp
      $0.wrong = wrong
      $0.peakInFlight = peakInFlight
      $0.drainNanoseconds = Int(drainNanoseconds)
      $0.idealNanoseconds = idealNanoseconds.map(Int.init)
      $0.stealNanoseconds = stealNanoseconds.map(Int.init)
      $0.outcome = outcome
      $0.reason = reason
      if outcome == .measured { $0.figures = LoadFigures(of: [self]) }
      $0.objectivePercentile = rule.objective?.name
      $0.objectiveNanoseconds = (rule.objective?.nanoseconds).map(Int.init)
      $0.verdict = rule.verdict(of: self)
    }
  }
}
