import Results

/// How windows of load are judged: fixed before the run, the same for every contender.
public struct LoadRule: Sendable, CustomStringConvertible {
  public let objective: LatencyObjective?

  public init(objective: LatencyObjective? = nil) { self.objective = objective }

  /// A backlog at the end of a window may take this share of it.
  static let backlogShare = 0.05
  /// The generator is late if the p99 of its own lateness is above this,
  static let latestNanoseconds: UInt64 = 1_000_000
  /// or above this share of the objective's time,
  static let latestShare = 0.1
  /// unless the contender takes this share of all processors.
  static let ownShare = 0.8
  /// The machine is the limit if other processes take this share of the processors
  static let othersShare = 0.1
  /// and at most this share is idle.
  static let idleShare = 0.1

  private var mostLatenessNanoseconds: UInt64 {
    min(Self.latestNanoseconds, objective.map { UInt64(Self.latestShare * Double($0.nanoseconds)) } ?? .max)
  }

  public var description: String {
    let asked = objective.map { " and in the time asked for (\($0))" } ?? ""
    let late = NumberText.time(Double(mostLatenessNanoseconds))
    return
      "sustained: posts were done as fast as they came\(asked); saturated: the window was full, or what had piled up took more "
      + "than \(NumberText.percent(Self.backlogShare)) of it; what is not sustained is put down to the machine if others took "
      + "\(NumberText.percent(Self.othersShare)) of the processors and less than \(NumberText.percent(Self.idleShare)) was "
      + "idle, and to the generator if its own lateness has a p99 above \(late) while the contender took less than "
      + "\(NumberText.percent(Self.ownShare)) of the processors"
  }

  /// Whether other processes took the processors, whatever the result.
  func isDisturbed(_ window: LoadWindow) -> Bool {
    let figures = LoadFigures(of: [window])
    guard let others = figures.othersShare, let process = figures.processShare else { return false }
    return others >= Self.othersShare && 1 - others - process <= Self.idleShare
  }

  /// nil if the window was not measured, or is too short for the objective's percentile.
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

/// A bound on latencies: a percentile, or the maximum, takes at most a time.
public struct LatencyObjective: Sendable, CustomStringConvertible {
  /// nil: the maximum.
  public let percentile: TailPercentile?
  public let nanoseconds: UInt64

  public init(percentile: TailPercentile?, nanoseconds: UInt64) {
    self.percentile = percentile
    self.nanoseconds = nanoseconds
  }

  /// Such as `p99`, or `max`.
  public var name: String { percentile?.rawValue ?? "max" }

  public var description: String { "\(name) ≤ \(NumberText.time(Double(nanoseconds)))" }

  /// Fewer posts give no answer.
  public var fewestPosts: Int { percentile?.fewestNumbers ?? 1 }

  /// Whether the latencies meet it; nil if they are too few.
  public func isKept(by latencies: LogHistogram) -> Bool? {
    guard latencies.count >= fewestPosts else { return nil }
    let latency = percentile.map { latencies.percentile($0.share) } ?? latencies.max
    return latency.map { $0 <= nanoseconds }
  }
}

/// The percentiles that reports show, and how many numbers each needs.
public enum TailPercentile: String, Sendable, Hashable, Codable, CaseIterable {
  case p50, p90, p99
  case p999 = "p99.9"
  case p9999 = "p99.99"

  /// The share of the numbers at or below it.
  public var share: Double {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .p9999: 0.9999
    }
  }

  /// At least this many numbers lie beyond it: with fewer it is little but their maximum.
  public static let fewestBeyond = 10

  /// Reports do not show it of fewer numbers.
  public var fewestNumbers: Int { Int((Double(Self.fewestBeyond) / (1 - share)).rounded()) }

  /// The percentile; nil of too few numbers.
  public func value(of histogram: LogHistogram) -> UInt64? {
    histogram.count >= fewestNumbers ? histogram.percentile(share) : nil
  }
}
