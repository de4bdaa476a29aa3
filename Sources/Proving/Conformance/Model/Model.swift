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
    /// The earliest time at which the next attempt may begin. Attempts are timed from here, since a thread may be descheduled
    /// between starting a timer and making the request.
    var mayBeginAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)? { didSet { errorKind = StateHash.kind(of: error) } }
    private(set) var errorKind: UInt64 = 0
  }

  /// The state of one upload, chunk or lookup.
  struct Unit {
    var isDone = false
    /// Whether the answer came after the attempt's deadline. If so, the contender may have given up the attempt before.
    var wasLate = false
    var isPrepared = false
    var mayGoOnAt: UInt64 = 0
    /// Whether nothing of this unit is in flight until a timer fires.
    var isResting = false
  }

  /// The time by which a timer may fire early, since its clock may differ slightly from the model's.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// Timers of this duration or longer count as never firing.
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
  /// The number of unanswered requests that were not cancelled and whose race is not over.
  var live = 0
  /// The number of unanswered requests that lost their race and were not cancelled.
  var losers = 0
  var resting = 0
  var failedLanes = 0
  /// The number of races won before the second mirror was requested. A thread may be about to request it.
  var lateRivals = 0
  /// The number of media files between the start of their preparation and the end of their upload.
  var chains = 0
  var isPostOpen = false
  var isPostCancelled = false
  var postsRequested = 0
  var isPostCreated = false
  /// The possible ways for the job to end, after an answer or a cancellation. Empty if the job continues.
  var reasons: [Ending] = []
  /// Whether no request may follow: all of the job knows that it must stop, or the contender was idle when the stop came.
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
  /// The earliest time at which the current attempt may have begun.
  func beginning(of index: Int) -> UInt64 { max(startedAt, lanes[index].mayBeginAt) }
  /// The number of requests at this index. A faulty contender may use an index that the post lacks.
  func asks(at index: Int) -> Int { lanes.indices.contains(index) ? lanes[index].asks : 1 }
  /// Whether the hedge delay is long enough to judge whether the second request is late.
  var isHedgeTimed: Bool { scenario.pattern.races && scenario.hedgeDelay >= .milliseconds(15) }
  private var hasShortHedge: Bool {
    scenario.pattern.races && !scenario.asksBothMirrorsAtOnce && !isLong(scenario.hedgeDelay)
  }
  private var hasShortAttempts: Bool {
    scenario.pattern.retries && scenario.retry.attemptDeadline.map { !isLong($0) } ?? false
  }

  private func isLong(_ duration: Duration) -> Bool { duration.unsignedNanoseconds >= Self.longNanoseconds }

  /// The minimum number of requests in flight when the contender is idle.
  var due: Int {
    let left = units.count - doneCount
    if scenario.pattern.blocksThreads { return min(1, left) }
    switch scenario.pattern.requests {
    case .one, .urlThenUpload: return min(width, left)
    case .mirrors: return (scenario.asksBothMirrorsAtOnce ? 2 * left - failedLanes : left) - resting
    case .attempts: return left - resting
    }
  }

  /// Whether the contender has made all requests that it must make before another answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }

  /// Records that the contender is idle. If the job must stop at this point, no request may follow.
  package mutating func quiet() {
    // The job may still be waiting for answers to cancelled requests, and may not know yet that it must stop.
    if isStopping, cancelledInFlight == 0, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Records that several events are about to happen concurrently.
  package mutating func unquiet() { isQuiet = false }

  /// Whether no further request is about to start. Threads that block may be about to make one.
  private var isNarrow: Bool { (!scenario.pattern.blocksThreads || live >= width) && lateRivals == 0 }

  package mutating func started(at now: UInt64) { startedAt = now }
}
