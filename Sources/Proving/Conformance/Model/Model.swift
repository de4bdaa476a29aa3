import UploadScenario

/// The contract of `Contender` as a state machine. It receives every event in order and returns the broken requirements.
///
/// The model uses no clock, thread or service. Its caller calls `quiet()` after observing that the contender is idle.
package struct Model: Sendable {
  struct Lane {
    var asks = 0
    var isOpen = false
    var isCancelled = false
    var requestedAt: UInt64 = 0
    /// The earliest time at which the next attempt may begin. Attempts are timed from here, since the thread that makes the
    /// request may be descheduled after it starts the timer.
    var mayBeginAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)? { didSet { errorKind = StateHash.kind(of: error) } }
    private(set) var errorKind: UInt64 = 0
  }

  /// The state of one upload, chunk or lookup.
  struct Unit {
    var isDone = false
    /// Whether the answer came after the attempt's deadline. If so, the contender may have given up the attempt earlier.
    var wasLate = false
    var isPrepared = false
    var mayGoOnAt: UInt64 = 0
    /// Whether the upload, chunk or lookup has no request in flight and waits for a timer.
    var isResting = false
  }

  /// The tolerance for timers that fire early, since their clock may differ slightly from the model's clock.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// The duration from which a timer counts as never firing.
  private static let longNanoseconds: UInt64 = 60_000_000_000

  let scenario: Scenario
  let post: Post
  let receipts: [Receipt]
  let width: Int
  let lanesPerUnit: Int
  var lanes: [Lane]
  var units: [Unit]

  var startedAt: UInt64 = 0
  var doneCount = 0
  var open = 0
  /// The number of unanswered requests that were not cancelled and have not lost a race.
  var live = 0
  /// The number of unanswered requests that lost their race and were not cancelled.
  var losers = 0
  var resting = 0
  var failedLanes = 0
  /// The number of races in which one mirror won before the other was requested. A thread may be about to request the other.
  var lateRivals = 0
  /// The number of media files whose preparation has begun and whose upload has not ended.
  var chains = 0
  var isPostOpen = false
  var isPostCancelled = false
  var postsRequested = 0
  var isPostCreated = false
  /// The endings that answers and cancellations so far allow. Empty if the job must continue.
  var reasons: [Ending] = []
  /// Whether no request may follow: the whole job knows that it must stop, or it was idle when it had to stop.
  var isStopTaken = false
  /// The number of reads begun since the job had to stop.
  var readsAfterStop = 0
  var isQuiet = false
  var ending: Ending?
  var ends = 0

  package init(_ scenario: Scenario, _ post: Post, receipts: [Receipt]) {
    (self.scenario, self.post, self.receipts) = (scenario, post, receipts)
    width = scenario.mostUnderWay ?? .max
    lanesPerUnit = scenario.pattern.requestsPerUpload
    lanes = Array(repeating: Lane(), count: scenario.requestCount)
    units = Array(repeating: Unit(), count: scenario.fanOut)
  }

  package var isAllDone: Bool { doneCount == units.count }
  package var hasEnded: Bool { ends > 0 }
  package var isStopping: Bool { !reasons.isEmpty }
  var cancelledInFlight: Int { open - live - losers }
  /// The earliest time at which the current attempt at this index may have begun.
  func beginning(of index: Int) -> UInt64 { max(startedAt, lanes[index].mayBeginAt) }
  /// The number of requests at this index. A faulty contender may use an index that does not exist in the post.
  func asks(at index: Int) -> Int { lanes.indices.contains(index) ? lanes[index].asks : 1 }
  /// Whether the hedge delay is so long that a late request to the second mirror can be recognised.
  var isHedgeTimed: Bool { scenario.pattern.races && scenario.hedgeDelay >= .milliseconds(15) }
  private var hasShortHedge: Bool {
    scenario.pattern.races && !scenario.asksBothMirrorsAtOnce && !isLong(scenario.hedgeDelay)
  }
  private var hasShortAttempts: Bool {
    scenario.pattern.retries && scenario.retry.attemptDeadline.map { !isLong($0) } ?? false
  }

  private func isLong(_ duration: Duration) -> Bool { duration.unsignedNanoseconds >= Self.longNanoseconds }

  /// The minimum number of requests that must be in flight when the contender is idle.
  var due: Int {
    let left = units.count - doneCount
    if scenario.pattern.blocksThreads { return min(1, left) }
    switch scenario.pattern.requests {
    case .one, .urlThenUpload: return min(width, left)
    case .mirrors: return (scenario.asksBothMirrorsAtOnce ? 2 * left - failedLanes : left) - resting
    case .attempts: return left - resting
    }
  }

  /// Whether the contender has made all requests that it can make before the next answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }

  /// Records that the contender is idle. If the job must stop now, no request may follow.
  package mutating func quiet() {
    // While answers to cancelled requests are missing, parts of the job may not know that it must stop.
    if isStopping, cancelledInFlight == 0, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Records that several events are about to happen concurrently.
  package mutating func unquiet() { isQuiet = false }

  /// Whether no thread is about to make a request. Threads that make blocking requests may be.
  private var isNarrow: Bool { (!scenario.pattern.blocksThreads || live >= width) && lateRivals == 0 }

  package mutating func started(at now: UInt64) { startedAt = now }
}
