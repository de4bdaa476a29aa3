import Results

/// What came of one window: one line of JSON on the worker's standard output.
public struct LoadReply: Codable, Sendable, Hashable {
  /// Whether its latencies can be ranked.
  public var outcome = Outcome.measured
  /// Why the window cannot be ranked; nil if it was measured.
  public var reason: String?
  /// The posts that were due, to the end of the window or until it ended early.
  public var posts = PostCounts()
  /// Whether as many posts were under way as may be, so that the window ended early.
  public var isFull = false
  /// From the begin of the window to its end.
  public var windowNanoseconds: UInt64 = 0
  /// From the last post's intended start to the end of the last one to end, or until the rest was given up.
  public var drainNanoseconds: UInt64 = 0
  /// The median latency of the posts of the window's first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  /// From the intended start to the completion. A post that was given up counts with the time it had waited.
  public var latencies = LogHistogram()
  /// How much later than intended the generator started posts, by its own fault: not counting the time for which an earlier
  /// post's start had not returned.
  public var lateness = LogHistogram()
  /// How much later posts were started because an earlier one's start had not returned.
  public var holdUps = LogHistogram()
  /// The least time that a post could take; nil where the service's times are not known before.
  public var idealNanoseconds: UInt64?
  /// What the worker used from the window's begin to its end.
  public var usage = ResourceUsage()
  /// What all processors did meanwhile; nil where the kernel does not say.
  public var processors: ProcessorTime?

  /// Of a window that is being taken.
  public init() {}

  /// Of a window that could not be taken.
  public init(outcome: Outcome, reason: String) {
    self.outcome = outcome
    self.reason = reason
  }

  /// The first reason stays.
  mutating func fail(_ outcome: Outcome, _ reason: String) {
    guard self.outcome == .measured else { return }
    self.outcome = outcome
    self.reason = reason
  }
}

/// What became of the posts of a window.
public struct PostCounts: Codable, Sendable, Hashable {
  /// How many should have started.
  public var due = 0
  /// How many ended as the scenario has it.
  public var completed = 0
  /// Cancelled because they took too long.
  public var givenUp = 0
  /// Those that did not end as the scenario has it, or whose ledger says otherwise.
  public var wrong = 0
  /// The most that were under way at once.
  public var peakInFlight = 0

  /// None so far.
  public init() {}
}
