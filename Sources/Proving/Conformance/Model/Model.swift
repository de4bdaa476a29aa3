import UploadScenario

/// The contract of `Contender` as a state machine: it receives every event in order, and returns the breaches of each.
///
/// It is pure: no clock, no thread, no service. A caller calls `quiet()` once it has seen that the contender has done all that
/// it can.
package struct Model: Sendable {
  struct Lane {
    var asks = 0
    var isOpen = false
    var isCancelled = false
    var requestedAt: UInt64 = 0
    /// The earliest time at which its next attempt may begin. A thread may be descheduled between starting a timer and making
    /// the request, so attempts are timed from here.
    var mayBeginAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)? { didSet { errorKind = StateHash.kind(of: error) } }
    private(set) var errorKind: UInt64 = 0
  }

  /// One upload, chunk or lookup.
  struct Unit {
    var isDone = false
    /// Answered after the attempt's deadline: the contender may have given it up before.
    var wasLate = false
    var isPrepared = false
    var mayGoOnAt: UInt64 = 0
    /// Nothing of it is in flight until a timer fires.
    var isResting = false
  }

  /// How early timers may fire: their clock and the kit's differ by a fraction.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// Timers that take longer count as never firing.
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
  /// Unanswered requests that are neither cancelled nor of a race that is over.
  var live = 0
  /// Unanswered requests that lost their race and are not cancelled.
  var losers = 0
  var resting = 0
  var failedLanes = 0
  /// Second mirrors not yet requested when the race was won: a thread may be about to.
  var lateRivals = 0
  /// Media files between the start of their preparation and the end of their upload.
  var chains = 0
  var isPostOpen = false
  var isPostCancelled = false
  var postsRequested = 0
  var isPostCreated = false
  /// How the job may end because of an answer or a cancellation; empty: it goes on.
  var reasons: [Ending] = []
  /// Nothing could start at the stop, or the whole job knows of it: no request may follow.
  var isStopTaken = false
  /// Reads begun since the stop.
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
  /// The number of requests for it; a wrong contender may request an index that the post lacks.
  func asks(at index: Int) -> Int { lanes.indices.contains(index) ? lanes[index].asks : 1 }
  /// Whether the hedge delay is long enough to judge a late second request.
  var isHedgeTimed: Bool { scenario.pattern.races && scenario.hedgeDelay >= .milliseconds(15) }
  private var hasShortHedge: Bool {
    scenario.pattern.races && !scenario.asksBothMirrorsAtOnce && !isLong(scenario.hedgeDelay)
  }
  private var hasShortAttempts: Bool {
    scenario.pattern.retries && scenario.retry.attemptDeadline.map { !isLong($0) } ?? false
  }

  private func isLong(_ duration: Duration) -> Bool { duration.unsignedNanoseconds >= Self.longNanoseconds }

  /// The least number of requests in flight once the contender has done all that it can.
  var due: Int {
    let left = units.count - doneCount
    if scenario.pattern.blocksThreads { return min(1, left) }
    switch scenario.pattern.requests {
    case .one, .urlThenUpload: return min(width, left)
    case .mirrors: return (scenario.asksBothMirrorsAtOnce ? 2 * left - failedLanes : left) - resting
    case .attempts: return left - resting
    }
  }

  /// Whether everything has come that must come before another answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }

  /// The contender has done all that it can: if the job must stop now, no request may follow.
  package mutating func quiet() {
    // A job may wait for the answers to cancelled requests and not know of the stop yet.
    if isStopping, cancelledInFlight == 0, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Several events are about to happen at once.
  package mutating func unquiet() { isQuiet = false }

  /// Whether no further request is about to start; blocking threads may be about to make one.
  private var isNarrow: Bool { (!scenario.pattern.blocksThreads || live >= width) && lateRivals == 0 }

  package mutating func started(at now: UInt64) { startedAt = now }
}
