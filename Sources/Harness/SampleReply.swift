import Results

/// What a worker answers: one line of JSON on its standard output. Totals are over all iterations.
public struct SampleReply: Codable, Sendable, Hashable {
  public var outcome: Outcome
  /// Why the sample cannot be ranked; nil if it was measured.
  public var reason: String?
  public var iterations: Int
  public var wallNanoseconds: UInt64 = 0
  public var usage = ResourceUsage()
  public var disturbance = Disturbance()
  public var peakRSSBytes: Int?
  /// Counted in counting passes only.
  public var peakThreads: Int?
  /// In counting passes only.
  public var counts: Counts?
  /// How much more memory was resident at its most than before; in passes for that only.
  public var inFlightBytes: Int?
  /// The least time that was possible, or how long the job ran until it was made to end.
  public var idealNanoseconds: UInt64?
  /// How the posts stopped that something ended early; nil if nothing did, or if it is not known when.
  public var stopping: StoppingTimes?
  /// How late a task of the same idiom was at most, in counting passes of the pattern that asks for it.
  public var heartbeatWorstNanoseconds: UInt64?
  /// How many of those that the posts were started behind ended before them; nil if there were none.
  public var postsBefore: Int?
  /// What the service saw; nil if nothing was uploaded to.
  public var uploads: UploadCounts?

  public init(outcome: Outcome, reason: String? = nil, iterations: Int) {
    self.outcome = outcome
    self.reason = reason
    self.iterations = iterations
  }

  /// The first reason stays.
  mutating func fail(_ outcome: Outcome, _ reason: String) {
    guard self.outcome == .measured else { return }
    self.outcome = outcome
    self.reason = reason
  }
}

/// What a service saw in one sample, over all its posts.
public struct UploadCounts: Codable, Sendable, Hashable {
  public var started = 0
  public var finished = 0
  public var cancelled = 0
  public var peakInFlight = 0
  public var posts = 0
  public var startsAfterFailure = 0
  public var wastedBytes = 0
}

/// Times of one sample since whatever ended its posts early, summed over the posts.
public struct StoppingTimes: Codable, Sendable, Hashable {
  public var toCompletionNanoseconds: UInt64 = 0
  public var toStopNanoseconds: UInt64 = 0
}
