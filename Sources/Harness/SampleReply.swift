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
  /// Counted in counting passes only, as are allocations.
  public var peakThreads: Int?
  public var allocations: Int?
  public var allocatedBytes: Int?
  /// The least time that was possible, or how long the job ran until it was made to end.
  public var idealNanoseconds: UInt64?
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
}
