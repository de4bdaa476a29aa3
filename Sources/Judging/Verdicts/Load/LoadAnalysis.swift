import Results

/// The results of `bench load`, which starts jobs (posts) at fixed rates and measures them in windows of time.
public struct LoadAnalysis: Sendable {
  public let run: String
  public let rule: LoadRule
  /// The summaries by scenario and rate, with contenders in the given order.
  public let summaries: [LoadSummary]
  /// The results of a search for the highest sustained rate; empty if there was none.
  public let limits: [LoadLimit]
  /// The distribution of the latencies that each summary covers.
  public let latencies: [LatencyBucket]
  public let windows: Int

  /// - Parameter contenders: the order of the contenders. Others follow in order of appearance.
  public init(
    run: String, _ windows: [LoadWindow], rule: LoadRule, limits: [LoadLimit] = [],
    contenders order: [String] = []
  ) {
    self.run = run
    self.rule = rule
    self.limits = limits
    self.windows = windows.count
    func places(_ names: [String]) -> [String: Int] { names.unique().enumerated().keyed { ($1, $0) } }
    let scenarios = places(windows.map(\.subject.scenario))
    let contenders = places(order + windows.map(\.subject.contender))
    let groups = windows.grouped { [$0.subject.contender, $0.subject.scenario, "\($0.offeredPerSecond)"] }
    let pools = groups.values.ordered {
      let (subject, rate) = ($0[0].subject, $0[0].offeredPerSecond)
      return SortKey(
        numbers: [Double(scenarios[subject.scenario]!), rate, Double(contenders[subject.contender]!)])
    }.map { Pool($0, rule) }
    summaries = pools.map { $0.summary(rule) }
    latencies = pools.flatMap { $0.buckets(run: run) }
  }

  private struct Pool {
    let all: [LoadWindow]
    let disturbed: Int
    let used: [LoadWindow]

    init(_ windows: [LoadWindow], _ rule: LoadRule) {
      all = windows
      let measured = windows.filter { $0.outcome == .measured }
      let quiet = measured.filter { !rule.isDisturbed($0) }
      disturbed = measured.count - quiet.count
      used = quiet.count >= disturbed ? quiet : measured
    }

    private var outcome: Outcome { .worst(all.map(\.outcome)) }

    func summary(_ rule: LoadRule) -> LoadSummary {
      var summary = LoadSummary()
      summary.subject = all[0].subject
      summary.offeredPerSecond = all[0].offeredPerSecond
      summary.windows = used.count
      summary.disturbedWindows = disturbed
      summary.posts = used.reduce(0) { $0 + $1.latencies.count }
      summary.outcome = outcome
      summary.objectivePercentile = rule.objective?.name
      summary.objectiveNanoseconds = (rule.objective?.nanoseconds).map(Int.init)
      summary.reason = all.first { $0.outcome == outcome && outcome != .measured }?.reason
      guard outcome == .measured, !used.isEmpty else { return summary }
      summary.figures = LoadFigures(of: used)
      summary.verdict = rule.verdict(
        of: used, isSaturated: 2 * used.count(where: rule.isSaturated) > used.count,
        isDisturbed: disturbed > all.count - disturbed)
      return summary
    }

    func buckets(run: String) -> [LatencyBucket] {
      used.together(\.latencies).buckets.map { bucket in
        LatencyBucket {
          $0.run = run
          $0.contender = all[0].subject.contender
          $0.scenario = all[0].subject.scenario
          $0.offeredPerSecond = all[0].offeredPerSecond
          $0.lowNanoseconds = Int(bucket.low)
          $0.highNanoseconds = Int(min(bucket.high, UInt64(Int.max)))
          $0.posts = bucket.count
        }
      }
    }
  }
}

extension LoadWindow {
  /// How long the window's last jobs took to end, beyond the median latency of the window's first quarter; at least 0.
  var backlogNanoseconds: Int { max(0, self.drainNanoseconds - Int(self.earlyLatencyNanoseconds ?? 0)) }

  public mutating func judge(by rule: LoadRule) {
    if self.outcome == .measured { figures = LoadFigures(of: [self]) }
    objectivePercentile = rule.objective?.name
    objectiveNanoseconds = (rule.objective?.nanoseconds).map(Int.init)
    verdict = rule.verdict(of: self)
  }
}

extension LoadFigures {
  init(of windows: [LoadWindow]) {
    self.init()
    let latencies = windows.together(\.latencies)
    let seconds = windows.reduce(0) { $0 + Double($1.windowNanoseconds + $1.backlogNanoseconds) } / 1e9
    if seconds > 0 { achievedPerSecond = Double(windows.reduce(0) { $0 + $1.posts.completed }) / seconds }
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

  private mutating func setShares(_ windows: [LoadWindow]) {
    let busy = windows.compactMap(\.busyNanoseconds)
    let idle = windows.compactMap(\.idleNanoseconds)
    let steal = windows.compactMap(\.stealNanoseconds).map(UInt64.init)
    guard busy.count == windows.count, idle.count == windows.count, steal.count == windows.count else {
      return
    }
    let (allBusy, allSteal) = (busy.reduce(0, +), steal.reduce(0, +))
    let capacity = Double(allBusy + idle.reduce(0, +) + allSteal)
    guard capacity > 0 else { return }
    let process = Double(windows.reduce(0) { $0 + $1.processNanoseconds })
    processShare = min(1, process / capacity)
    machineShare = Double(allBusy) / capacity
    // The difference may be negative, because the kernel counts the time of processors and of processes in different steps.
    othersShare = max(0, Double(allBusy) - process + Double(allSteal)) / capacity
  }
}

extension [LoadWindow] {
  func together(_ path: KeyPath<LoadWindow, LogHistogram>) -> LogHistogram {
    reduce(into: LogHistogram()) { $0.add($1[keyPath: path]) }
  }
}
