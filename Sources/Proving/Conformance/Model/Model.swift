import UploadScenario

/// A state machine that receives every event of a job in order and returns the requirements that the contender breaks.
///
/// It uses no clock, thread or service. Its caller calls `quiet()` when the contender is idle.
package struct Model: Sendable {
  /// The state of the requests with one index, such as the attempts at an upload.
  struct Lane {
    /// The number of requests made.
    var asks = 0
    var isOpen = false
    var isCancelled = false
    var requestedAt: UInt64 = 0
    /// The earliest time at which the next attempt's timer may start, which can be before its request is made.
    var mayBeginAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)? { didSet { errorKind = StateHash.kind(of: error) } }
    private(set) var errorKind: UInt64 = 0
  }

  /// The state of one upload, chunk or lookup.
  struct Unit {
    var isDone = false
    /// Whether the answer came after the attempt's deadline, so that the contender may have given up the attempt.
    var wasLate = false
    var isPrepared = false
    var mayGoOnAt: UInt64 = 0
    /// Whether the upload waits for a timer, without a request in flight.
    var isResting = false
  }

  /// How early a timer may fire, since its clock may differ slightly from that of the events.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// From this duration on, a timer is taken to never fire.
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
  /// The number of races that one mirror won before the other was requested. A thread may still request the other.
  var lateRivals = 0
  /// The number of media files between the start of their preparation and the end of their upload.
  var chains = 0
  var isPostOpen = false
  var isPostCancelled = false
  var postsRequested = 0
  var isPostCreated = false
  /// The possible endings of a job that must stop. Empty if the job must continue.
  var reasons: [Ending] = []
  /// Whether no further request may begin, because all threads of the job know that it must stop.
  var isStopTaken = false
  /// The number of chunk reads begun since the job had to stop.
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
  /// The number of requests with this index, or 1 if a faulty contender has invented the index.
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

  /// Whether the contender has made all requests that it must make before the next answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }

  /// Records that the contender is idle. If the job must stop, no request may follow.
  package mutating func quiet() {
    // Before the answers to cancelled requests, some threads of the job may not know that it must stop.
    if isStopping, cancelledInFlight == 0, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Records that several events are about to happen concurrently.
  package mutating func unquiet() { isQuiet = false }

  /// Whether no thread can be about to make a request.
  private var isNarrow: Bool { (!scenario.pattern.blocksThreads || live >= width) && lateRivals == 0 }

  package mutating func started(at now: UInt64) { startedAt = now }
}
