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

extension LoadFigures {
  /// The figures of one or more windows together.
  init(of windows: [LoadMeasurement]) {
    self.init()
    let latencies = windows.together(\.latencies)
    let seconds = windows.reduce(0) { $0 + Double($1.windowNanoseconds + $1.backlogNanoseconds) } / 1e9
    if seconds > 0 { achievedPerSecond = Double(windows.reduce(0) { $0 + $1.completed }) / seconds }
    func percentile(_ percentile: TailPercentile) -> Int? { percentile.value(of: latencies).map { Int($0) } }
    p50Nanoseconds = percentile(.p50)
    p90Nanoseconds = percentile(.p90)
    p99Nanoseconds = percentile(.p99)
    p999Nanoseconds = percentile(.p999)
    p9999Nanoseconds = percentile(.p9999)
    maxNanoseconds = latencies.max.map { Int($0) }
    let lateness = windows.together(\.lateness)
    latenessP50Nanoseconds = lateness.percentile(0.5).map { Int($0) }
    latenessP99Nanoseconds = lateness.percentile(0.99).map { Int($0) }
    latenessMaxNanoseconds = lateness.max.map { Int($0) }
    heldUpP99Nanoseconds = windows.together(\.holdUps).percentile(0.99).map { Int($0) }
    setShares(windows)
  }

  /// Unknown as soon as one window's are.
  private mutating func setShares(_ windows: [LoadMeasurement]) {
    let busy = windows.compactMap(\.busyNanoseconds)
    let idle = windows.compactMap(\.idleNanoseconds)
    let steal = windows.compactMap(\.stealNanoseconds)
    guard busy.count == windows.count, idle.count == windows.count, steal.count == windows.count else {
      return
    }
    let (allBusy, allSteal) = (busy.reduce(0, +), steal.reduce(0, +))
    let capacity = Double(allBusy + idle.reduce(0, +) + allSteal)
    guard capacity > 0 else { return }
    let process = Double(windows.reduce(0) { $0 + $1.processNanoseconds })
    processShare = min(1, process / capacity)
    machineShare = Double(allBusy) / capacity
    // The kernel counts the two in different steps.
    othersShare = max(0, Double(allBusy) - process + Double(allSteal)) / capacity
  }
}

extension [LoadMeasurement] {
  func together(_ path: KeyPath<LoadMeasurement, LogHistogram>) -> LogHistogram {
    reduce(into: LogHistogram()) { $0.add($1[keyPath: path]) }
  }
}
