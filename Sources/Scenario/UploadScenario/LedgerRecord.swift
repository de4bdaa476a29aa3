/// A ledger's content at one moment.
public struct LedgerRecord: Sendable, Hashable {
  /// What happened to one request.
  public struct Counts: Sendable, Hashable {
    /// How often it was made; more than once where attempts repeat it.
    public var started = 0
    /// How many of those succeeded.
    public var finished = 0
    /// How many of those were cancelled before they had ended.
    public var cancelled = 0
    /// How many of those ended in an error, or were refused.
    public var failed = 0

    /// `started` less all the others is how many are in flight.
    public init(started: Int = 0, finished: Int = 0, cancelled: Int = 0, failed: Int = 0) {
      self.started = started
      self.finished = finished
      self.cancelled = cancelled
      self.failed = failed
    }
  }

  /// By the request's place in the ledger.
  public var requests: [Counts]
  /// The most requests that were in flight at once.
  public var peakInFlight: Int
  /// The requests that were in flight at this moment.
  public var inFlight = 0
  /// The most media that were between their first and their last request, where a pattern makes several for each.
  public var peakChains = 0
  /// The most chunks that had a buffer, and how many still have.
  public var peakChunks = 0
  /// The chunks that still had a buffer at this moment.
  public var chunksAlive = 0
  /// How many media files were prepared; nil: the service does not tell.
  public var prepares: Int?
  /// How many chunks were read; nil: the service does not tell.
  public var chunksRead: Int?
  /// Media files of which no mirror had taken it when the post was asked for.
  public var racesWithoutAnswer = 0
  /// Uploads that started after the contender had reported.
  public var startsAfterCompletion = 0
  /// Requests that the post does not need.
  public var strayStarts = 0
  /// Uploads that started after the first failure or `stop`; not wrong by itself (the news travels).
  public var startsAfterFailure = 0
  /// When the service reported the first failure, on the ledger's clock.
  public var firstFailureNanoseconds: UInt64?
  /// When the last request ended after the first failure or `stop`, on the ledger's clock.
  public var lastStopNanoseconds: UInt64?
  /// The receipts of every post that was created.
  public var posts: [[Receipt]] = []
  /// How many requests had been answered when the first post was asked for; nil: none was, or the service does not tell.
  public var answersBeforePost: Int?
  /// How many posts had been created when the contender reported; nil: it has not.
  public var postsBeforeCompletion: Int?

  /// A record of which all else is 0 or nil, unless `change` says more; no ledger need have kept it.
  public init(
    requests: [Counts], peakInFlight: Int, posts: [[Receipt]] = [],
    _ change: (inout LedgerRecord) -> Void = { _ in }
  ) {
    self.requests = requests
    self.peakInFlight = peakInFlight
    self.posts = posts
    change(&self)
  }
}
