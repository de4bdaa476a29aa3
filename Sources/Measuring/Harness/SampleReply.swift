import Results

/// What a worker answers: one line of JSON on its standard output. Totals are over all iterations.
public struct SampleReply: Codable, Sendable, Hashable {
  /// Whether the sample can be ranked.
  public var outcome: Outcome
  /// Why the sample cannot be ranked; nil if it was measured.
  public var reason: String?
  /// How often the work was to be done.
  public var iterations: Int
  /// From each start to its completion, summed; what is checked afterwards is not in it.
  public var wallNanoseconds: UInt64 = 0
  /// What the process used over all its threads meanwhile.
  public var usage = ResourceUsage()
  /// What others took of the machine meanwhile.
  public var disturbance = Disturbance()
  /// The most memory that the process has had resident since it started; nil where the system does not say.
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

  /// All figures are zero or unknown at first. A sample that was not measured has a reason.
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
  /// Requests that were made.
  public var started = 0
  /// Requests that succeeded.
  public var finished = 0
  /// Requests that were cancelled.
  public var cancelled = 0
  /// The most requests of one post that were in flight at once.
  public var peakInFlight = 0
  /// Posts that were created.
  public var posts = 0
  /// Requests that were made after the service had reported a failure, or the job was told to stop.
  public var startsAfterFailure = 0
  /// Bytes that arrived and are no part of a post.
  public var wastedBytes = 0
}

/// Times of one sample since whatever ended its posts early, summed over the posts.
public struct StoppingTimes: Codable, Sendable, Hashable {
  /// Until the completion was called.
  public var toCompletionNanoseconds: UInt64 = 0
  /// Until the last request had ended.
  public var toStopNanoseconds: UInt64 = 0
}
