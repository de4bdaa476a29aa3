/// A ledger's content at one moment.
public struct LedgerRecord: Sendable, Hashable {
  /// What happened to one request.
  public struct Counts: Sendable, Hashable {
    public var started = 0
    public var finished = 0
    public var cancelled = 0
    public var failed = 0

    public init(started: Int = 0, finished: Int = 0, cancelled: Int = 0, failed: Int = 0) {
      self.started = started
      self.finished = finished
      self.cancelled = cancelled
      self.failed = failed
    }
  }

  /// By the request's place in the ledger.
  public var requests: [Counts]
  public var peakInFlight: Int
  public var inFlight: Int
  /// The most media that were between their first and their last request, where a pattern makes several for each.
  public var peakChains: Int
  /// The most chunks that had a buffer, and how many still have.
  public var peakChunks: Int
  public var chunksAlive: Int
  /// Uploads that started after the contender had reported.
  public var startsAfterCompletion: Int
  /// Requests that the post does not need.
  public var strayStarts: Int
  /// Uploads that started after the first failure or `stop`; not wrong by itself (the news travels).
  public var startsAfterFailure: Int
  /// When the service reported the first failure, on the ledger's clock.
  public var firstFailureNanoseconds: UInt64?
  /// When the last request ended after the first failure or `stop`, on the ledger's clock.
  public var lastStopNanoseconds: UInt64?
  /// The receipts of every post that was created.
  public var posts: [[Receipt]]

  public init(
    requests: [Counts], peakInFlight: Int, inFlight: Int = 0, peakChains: Int = 0, peakChunks: Int = 0,
    chunksAlive: Int = 0, startsAfterCompletion: Int = 0,
    strayStarts: Int = 0, startsAfterFailure: Int = 0, firstFailureNanoseconds: UInt64? = nil,
    lastStopNanoseconds: UInt64? = nil,
    posts: [[Receipt]] = []
  ) {
    self.requests = requests
    self.peakInFlight = peakInFlight
    self.inFlight = inFlight
    self.peakChains = peakChains
    self.peakChunks = peakChunks
    self.chunksAlive = chunksAlive
    self.startsAfterCompletion = startsAfterCompletion
    self.strayStarts = strayStarts
    self.startsAfterFailure = startsAfterFailure
    self.firstFailureNanoseconds = firstFailureNanoseconds
    self.lastStopNanoseconds = lastStopNanoseconds
    self.posts = posts
  }
}
