import UploadScenario

/// The contract of `Contender` as a state machine: given all that has happened to a job, what may happen next, and what must.
///
/// It gets every event, in the order in which they happened, and returns the promises that the event breaks. It is pure: no
/// clock, no thread, no service. `quiet()` is for callers that have seen that the contender had done all that it could.
///
/// What it holds is changed by the events alone: requests, a stop and the end have a file each.
package struct Model: Sendable {
  /// One place in the ledger.
  struct Lane {
    var asks = 0
    var isOpen = false
    var isCancelled = false
    var askedAt: UInt64 = 0
    /// The earliest moment at which its next attempt may begin, if that is after the job's begin. A thread that starts a timer and then
    /// makes the request may be kept from running in between: its time is counted from here.
    var mayBeginAt: UInt64 = 0
    var failedAt: UInt64 = 0
    var error: (any Error)? { didSet { errorKind = StateHash.kind(of: error) } }
    private(set) var errorKind: UInt64 = 0
  }

  /// One upload, chunk or lookup.
  struct Unit {
    var isDone = false
    /// It was answered when its attempt had no time left: on a busy machine the contender may have given it up before.
    var wasLate = false
    var isPrepared = false
    /// When it may be asked for again.
    var mayGoOnAt: UInt64 = 0
    /// Nothing of it is in flight, nor need be until a timer fires.
    var isResting = false
  }

  /// Timers may be early by so much: the clocks of timers and of this kit differ by a fraction.
  static let toleranceNanoseconds: UInt64 = 300_000
  /// What takes longer is not waited for.
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
  /// Requests that were not answered.
  var open = 0
  /// Those of them that still matter: neither cancelled nor of a race that is over.
  var live = 0
  /// Those that lost their race and were not cancelled.
  var losers = 0
  var resting = 0
  var failedLanes = 0
  /// Rivals that were not asked for when their race was won: a thread may be about to.
  var lateRivals = 0
  /// Media between the begin of their preparation and the end of their upload.
  var chains = 0
  var isPostOpen = false
  var isPostCancelled = false
  var postsAskedFor = 0
  var isPostCreated = false
  /// How the job may end because of what was answered, or because it was told to; empty: it goes on.
  var reasons: [Ending] = []
  /// Nothing could start when the reason to stop came, or all of the job knows of it: nothing may start any more.
  var isStopTaken = false
  /// Chunks that were begun to be read since then.
  var readsAfterStop = 0
  var isQuiet = false
  /// How it has ended.
  var ending: Ending?
  var ends = 0

  /// - Parameter receipts: what the post must be created from.
  package init(_ scenario: Scenario, _ post: Post, receipts: [Receipt]) {
    (self.scenario, self.post, self.receipts) = (scenario, post, receipts)
    width = scenario.mostUnderWay ?? .max
    lanesPerUnit = scenario.pattern.requestsPerUpload
    lanes = Array(repeating: Lane(), count: scenario.requestCount)
    units = Array(repeating: Unit(), count: scenario.fanOut)
  }

  // MARK: What may and must come

  package var isAllDone: Bool { doneCount == units.count }
  package var hasEnded: Bool { ends > 0 }
  package var isStopping: Bool { !reasons.isEmpty }
  /// How many requests wait for an answer although they were cancelled.
  var cancelledInFlight: Int { open - live - losers }
  /// The earliest moment at which the attempt that is under way may have begun.
  func beginning(of index: Int) -> UInt64 { max(startedAt, lanes[index].mayBeginAt) }
  /// How often it was requested. A wrong contender may request what is not the post's.
  func asks(at index: Int) -> Int { lanes.indices.contains(index) ? lanes[index].asks : 1 }
  /// Whether a second mirror may be asked too late, counted from the first.
  var isHedgeTimed: Bool { scenario.pattern.races && scenario.hedgeDelay >= .milliseconds(15) }
  private var hasShortHedge: Bool {
    scenario.pattern.races && !scenario.asksBothMirrorsAtOnce && !isLong(scenario.hedgeDelay)
  }
  private var hasShortAttempts: Bool {
    scenario.pattern.retries && scenario.retry.attemptDeadline.map { !isLong($0) } ?? false
  }

  private func isLong(_ duration: Duration) -> Bool { duration.unsignedNanoseconds >= Self.longNanoseconds }

  /// How many requests are in flight once the contender has done all that it can, at the least.
  var due: Int {
    let left = units.count - doneCount
    if scenario.pattern.blocksThreads { return min(1, left) }
    switch scenario.pattern.requests {
    case .one, .urlThenUpload: return min(width, left)
    case .mirrors: return (scenario.asksBothMirrorsAtOnce ? 2 * left - failedLanes : left) - resting
    case .attempts: return left - resting
    }
  }

  /// Whether all is there that must come without another answer.
  var isSettled: Bool { hasEnded || losers == 0 && (isAllDone ? isPostOpen : live >= due) }

  /// The contender has done all that it can: if the job must stop now, nothing is about to start.
  package mutating func quiet() {
    // While the answer to a cancelled request is under way, a job that waits for it may not know yet.
    if isStopping, cancelledInFlight == 0, !isPostCancelled { isStopTaken = true }
    isQuiet =
      isNarrow && !hasShortHedge && !hasShortAttempts
      && (resting == 0 || isLong(scenario.retry.longestBackoff))
  }

  /// Several things are about to happen at once.
  package mutating func unquiet() { isQuiet = false }

  /// Whether nothing is about to start beside what is in flight; of threads that block, some may be.
  private var isNarrow: Bool { (!scenario.pattern.blocksThreads || live >= width) && lateRivals == 0 }

  package mutating func started(at now: UInt64) { startedAt = now }
}
