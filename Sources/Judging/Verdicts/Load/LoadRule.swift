import Results

/// The rule by which `bench load` judges windows of time. The rule is fixed before the run and the same for all contenders.
public struct LoadRule: Sendable, CustomStringConvertible {
  public let objective: LatencyObjective?

  public init(objective: LatencyObjective? = nil) { self.objective = objective }

  /// The largest accepted time to finish the jobs that are left at a window's end, as a share of the window's time.
  static let backlogShare = 0.05
  /// The load generator is late if the p99 of its own delays is above this time or above ``latestShare``.
  static let latestNanoseconds: UInt64 = 1_000_000
  /// The largest accepted p99 of the load generator's own delays, as a share of the latency objective.
  static let latestShare = 0.1
  /// If the contender uses at least this share of all processors, it delays the load generator, which then does not count as late.
  static let ownShare = 0.8
  /// The machine is the limit if other processes use at least this share of the processors and little is idle.
  static let othersShare = 0.1
  /// The largest idle share of the processors at which the machine can be the limit.
  static let idleShare = 0.1

  private var mostLatenessNanoseconds: UInt64 {
    min(Self.latestNanoseconds, objective.map { UInt64(Self.latestShare * Double($0.nanoseconds)) } ?? .max)
  }

  public var description: String {
    let asked = objective.map { " and met \($0)" } ?? ""
    let late = NumberText.time(Double(mostLatenessNanoseconds))
    return
      "sustained: posts were done as fast as they came\(asked); saturated: the window was full, or its backlog took more than "
      + "\(NumberText.percent(Self.backlogShare)) of its time; machine: not sustained, but other processes took "
      + "\(NumberText.percent(Self.othersShare)) of the processors and less than \(NumberText.percent(Self.idleShare)) was "
      + "idle; late: not sustained, but the harness started posts late (p99 above \(late)) while the contender took less than "
      + "\(NumberText.percent(Self.ownShare)) of the processors"
  }

  /// Whether other processes used the processors and left little of them idle, whatever the verdict on the window is.
  func isDisturbed(_ window: LoadWindow) -> Bool {
    let figures = LoadFigures(of: [window])
    guard let others = figures.othersShare, let process = figures.processShare else { return false }
    return others >= Self.othersShare && 1 - others - process <= Self.idleShare
  }

  /// The verdict on a window; `nil` if the window was not measured or is too short for the objective's percentile.
  public func verdict(of window: LoadWindow) -> LoadVerdict? {
    guard window.outcome == .measured else { return nil }
    return verdict(of: [window], isSaturated: isSaturated(window), isDisturbed: isDisturbed(window))
  }

  func isSaturated(_ window: LoadWindow) -> Bool {
    window.isFull || window.posts.givenUp > 0
      || Double(window.backlogNanoseconds) > Self.backlogShare * Double(window.windowNanoseconds)
  }

  func verdict(of windows: [LoadWindow], isSaturated: Bool, isDisturbed: Bool) -> LoadVerdict? {
    if !isSaturated {
      guard let objective else { return .held }
      guard let isKept = objective.isKept(by: windows.together(\.latencies)) else { return nil }
      if isKept { return .held }
    }
    if isDisturbed { return .machineLimit }
    let figures = LoadFigures(of: windows)
    if let lateness = windows.together(\.lateness).percentile(0.99), lateness > mostLatenessNanoseconds,
      (figures.processShare ?? 0) < Self.ownShare
    {
      return .generatorLate
    }
    return isSaturated ? .saturated : .missed
  }
}

/// An upper bound on a percentile of latencies, or on their maximum.
public struct LatencyObjective: Sendable, CustomStringConvertible {
  /// The percentile; `nil` means the maximum.
  public let percentile: TailPercentile?
  public let nanoseconds: UInt64

  public init(percentile: TailPercentile?, nanoseconds: UInt64) {
    self.percentile = percentile
    self.nanoseconds = nanoseconds
  }

  /// The name of the percentile, such as `p99`, or `max`.
  public var name: String { percentile?.rawValue ?? "max" }

  public var description: String { "\(name) ≤ \(NumberText.time(Double(nanoseconds)))" }

  /// The fewest jobs (posts) that can decide the objective.
  public var fewestPosts: Int { percentile?.fewestNumbers ?? 1 }

  /// Whether the latencies meet the objective; `nil` if there are too few.
  public func isKept(by latencies: LogHistogram) -> Bool? {
    guard latencies.count >= fewestPosts else { return nil }
    let latency = percentile.map { latencies.percentile($0.share) } ?? latencies.max
    return latency.map { $0 <= nanoseconds }
  }
}

/// The percentiles that reports show, and how many values each of them needs.
public enum TailPercentile: String, Sendable, Hashable, Codable, CaseIterable {
  case p50, p90, p99
  case p999 = "p99.9"
  case p9999 = "p99.99"

  /// The share of the numbers at or below the percentile.
  public var share: Double {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .p9999: 0.9999
    }
  }

  /// The number of values that must lie above a percentile. With fewer of them, the percentile is practically the maximum.
  public static let fewestBeyond = 10

  /// The smallest number of values for which reports show the percentile.
  public var fewestNumbers: Int { Int((Double(Self.fewestBeyond) / (1 - share)).rounded()) }

  /// The percentile of a histogram; `nil` if it has too few values.
  public func value(of histogram: LogHistogram) -> UInt64? {
    histogram.count >= fewestNumbers ? histogram.percentile(share) : nil
  }
}
