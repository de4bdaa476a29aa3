import Results

/// What all windows of a load run amount to.
public struct LoadAnalysis: Sendable {
  public let run: String
  public let rule: LoadRule
  /// By scenario and rate, contenders in the order that was given.
  public let summaries: [LoadSummary]
  /// What a search for limits found; empty if none was made.
  public let limits: [LoadLimit]
  /// The full distribution, pooled as the summaries are.
  public let latencies: [LatencyBucket]
  public let windows: Int

  /// - Parameter contenders: their order; any other follow in the order in which they first appear.
  public init(
    run: String, _ measurements: [LoadMeasurement], rule: LoadRule, limits: [LoadLimit] = [],
    contenders order: [String] = []
  ) {
    self.run = run
    self.rule = rule
    self.limits = limits
    windows = measurements.count
    let groups = measurements.grouped(by: Key.init)
    func places(_ names: [String]) -> [String: Int] { names.unique().enumerated().keyed { ($1, $0) } }
    let scenarios = places(measurements.map(\.subject.scenario))
    let contenders = places(order + measurements.map(\.subject.contender))
    let keys = groups.keys.ordered {
      SortKey(
        numbers: [Double(scenarios[$0.scenario]!), $0.offeredPerSecond, Double(contenders[$0.contender]!)])
    }
    let pools = keys.map { Pool(groups[$0]!, rule) }
    summaries = pools.map { $0.summary(rule) }
    latencies = pools.flatMap { $0.buckets(run: run) }
  }

  private struct Key: Hashable {
    let contender: String
    let scenario: String
    let offeredPerSecond: Double

    init(_ window: LoadMeasurement) {
      contender = window.subject.contender
      scenario = window.subject.scenario
      offeredPerSecond = window.offeredPerSecond
    }
  }

  /// The windows of one rate.
  private struct Pool {
    let all: [LoadMeasurement]
    let disturbed: Int
    /// Those that count.
    let used: [LoadMeasurement]

    init(_ windows: [LoadMeasurement], _ rule: LoadRule) {
      all = windows
      let measured = windows.filter { $0.outcome == .measured }
      let quiet = measured.filter { !rule.isDisturbed($0) }
      disturbed = measured.count - quiet.count
      used = quiet.count >= disturbed ? quiet : measured
    }

    /// The worst; the same order as for samples.
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
