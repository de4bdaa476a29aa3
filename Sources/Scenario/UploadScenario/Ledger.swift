import Synchronization

/// What the service saw of one post at a time: services write it, on any thread, the harness reads it.
///
/// A start costs two atomic additions and an end two, without a lock or an allocation. `open` and `record` are for one thread,
/// between posts.
public final class Ledger: ChunkLedger, @unchecked Sendable {
  /// One count per byte, so one addition each. One above 255 wraps into its neighbour, and is a difference all the same.
  private enum Count {
    static let started: UInt32 = 1
    static let finished: UInt32 = 1 << 8
    static let cancelled: UInt32 = 1 << 16
    static let failed: UInt32 = 1 << 24
  }

  // Invariant: allocated once in init, freed in deinit, `requestCount` initialised atomics in between; every access
  // is an atomic operation at an index that `slot` has checked. This is what makes the class Sendable.
  private let counts: UnsafeMutablePointer<Atomic<UInt32>>
  private let requestCount: Int
  private let inFlight = Peak()
  private let isClosed = Atomic<Bool>(false)
  private let lateStarts = Atomic<Int>(0)
  private let strayStartCount = Atomic<Int>(0)
  private let startsAfterFailure = Atomic<Int>(0)
  private let firstFailure = Atomic<UInt64>(0)
  private let chains = Peak()
  private let chunks = Peak()
  private let isStopping = Atomic<Bool>(false)
  private let lastStop = Atomic<UInt64>(0)
  private let created = Mutex<[[Receipt]]>([])
  private let createdCount = Atomic<Int>(0)
  /// −1: it has not been asked for, or the contender has not reported.
  private let answersBeforePost = Atomic<Int>(-1)
  private let postsBeforeCompletion = Atomic<Int>(-1)
  private let rivals: Int
  private let unanswered = Atomic<Int>(0)
  private let nanoseconds: @Sendable () -> UInt64

  /// A ledger for posts of `requestCount` requests; `nanoseconds` is its clock. Of so many `rivals` in a row one has to be answered
  /// before the post is asked for.
  public init(requestCount: Int, rivals: Int = 1, nanoseconds: @escaping @Sendable () -> UInt64) {
    self.requestCount = requestCount
    self.rivals = rivals
    self.nanoseconds = nanoseconds
    counts = .allocate(capacity: max(1, requestCount))
    for index in 0..<requestCount { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: requestCount)
    counts.deallocate()
  }

  // MARK: What services write

  /// A request, such as an upload, was made; returns how often it has been made by now.
  @discardableResult
  public func uploadStarted(_ index: Int) -> Int {
    let attempt = Int(add(Count.started, at: index) & 0xFF)
    inFlight.enter()
    if isClosed.load(ordering: .acquiring) { lateStarts.add(1, ordering: .relaxed) }
    if isStopping.load(ordering: .relaxed) { startsAfterFailure.add(1, ordering: .relaxed) }
    return attempt
  }

  /// An upload arrived whole. Call this, or one of the next two, once for every start, before the completion.
  public func uploadFinished(_ index: Int) { end(Count.finished, at: index) }

  /// An upload stopped because it was cancelled.
  public func uploadCancelled(_ index: Int) { end(Count.cancelled, at: index) }

  /// An upload failed; the job with it, unless it `mayGoOn` with another attempt or another mirror.
  public func uploadFailed(_ index: Int, mayGoOn: Bool = false) {
    if !mayGoOn,
      firstFailure.compareExchange(expected: 0, desired: nanoseconds(), ordering: .relaxed).exchanged
    {
      isStopping.store(true, ordering: .relaxed)
    }
    end(Count.failed, at: index)
  }

  /// All requests for one media file begin.
  public func chainStarted() { chains.enter() }

  /// The last request for one media file has ended.
  public func chainEnded() { chains.leave() }

  public func chunkRead() { chunks.enter() }

  public func chunkReleased() { chunks.leave() }

  /// A post is asked for: call this at once, on the contender's thread.
  public func postRequested() {
    let isFirst = answersBeforePost.compareExchange(
      expected: -1, desired: inFlight.left, ordering: .relaxed
    ).exchanged
    // Of everything but races the number of answers says it.
    if isFirst, rivals > 1 { unanswered.store(racesWithoutAnswer, ordering: .releasing) }
  }

  /// A post was created from these receipts. Call this before the completion.
  public func postCreated(_ receipts: [Receipt]) {
    created.withLock { $0.append(receipts) }
    createdCount.add(1, ordering: .releasing)
  }

  // MARK: What the harness reads

  /// How many uploads are started and not ended.
  public var uploadsInFlight: Int { inFlight.current }

  /// The most uploads that were started and not ended at one moment.
  public var peakInFlight: Int { inFlight.peak }

  /// How many chunks have a buffer.
  public var chunksAlive: Int { chunks.current }

  /// Forgets everything, ready for the next post.
  public func open() {
    for index in 0..<requestCount { counts[index].store(0, ordering: .relaxed) }
    inFlight.reset()
    chains.reset()
    chunks.reset()
    isStopping.store(false, ordering: .relaxed)
    lastStop.store(0, ordering: .relaxed)
    lateStarts.store(0, ordering: .relaxed)
    strayStartCount.store(0, ordering: .relaxed)
    startsAfterFailure.store(0, ordering: .relaxed)
    firstFailure.store(0, ordering: .relaxed)
    created.withLock { $0.removeAll(keepingCapacity: true) }
    createdCount.store(0, ordering: .relaxed)
    answersBeforePost.store(-1, ordering: .relaxed)
    postsBeforeCompletion.store(-1, ordering: .relaxed)
    unanswered.store(0, ordering: .relaxed)
    isClosed.store(false, ordering: .releasing)
  }

  /// The contender has reported: an upload that starts from now on is late, and so is a post. Any thread may call it.
  public func close() {
    isClosed.store(true, ordering: .releasing)
    _ = postsBeforeCompletion.compareExchange(
      expected: -1, desired: createdCount.load(ordering: .acquiring), ordering: .relaxed)
  }

  private var racesWithoutAnswer: Int {
    stride(from: 0, to: requestCount, by: rivals).count { first in
      !(first..<min(first + rivals, requestCount)).contains {
        counts[$0].load(ordering: .relaxed) & 0xFF00 != 0
      }
    }
  }

  /// The job has been told to stop, as a failure says, too: starts and ends are of interest from now on.
  public func stop() { isStopping.store(true, ordering: .relaxed) }

  /// All that was seen since `open`.
  public func record() -> LedgerRecord { record(reusing: []) }

  /// The same, in the memory of an earlier record's requests, which are overwritten if nobody else has them.
  public func record(reusing memory: consuming [LedgerRecord.Counts]) -> LedgerRecord {
    var perRequest = memory
    if perRequest.count != requestCount { perRequest = Array(repeating: .init(), count: requestCount) }
    for index in 0..<requestCount {
      let bits = counts[index].load(ordering: .acquiring)
      perRequest[index] = LedgerRecord.Counts(
        started: Int(bits & 0xFF), finished: Int(bits >> 8 & 0xFF), cancelled: Int(bits >> 16 & 0xFF),
        failed: Int(bits >> 24))
    }
    func present(_ value: UInt64) -> UInt64? { value == 0 ? nil : value }
    func counted(_ value: Int) -> Int? { value < 0 ? nil : value }
    return LedgerRecord(requests: perRequest, peakInFlight: inFlight.peak, posts: created.withLock { $0 }) {
      $0.inFlight = uploadsInFlight
      $0.peakChains = chains.peak
      $0.peakChunks = chunks.peak
      $0.chunksAlive = chunks.current
      $0.prepares = chains.left + chains.current
      $0.chunksRead = chunks.left + chunks.current
      $0.racesWithoutAnswer = unanswered.load(ordering: .acquiring)
      $0.startsAfterCompletion = lateStarts.load(ordering: .acquiring)
      $0.strayStarts = strayStartCount.load(ordering: .acquiring)
      $0.startsAfterFailure = startsAfterFailure.load(ordering: .acquiring)
      $0.firstFailureNanoseconds = present(firstFailure.load(ordering: .acquiring))
      $0.lastStopNanoseconds = present(lastStop.load(ordering: .acquiring))
      $0.answersBeforePost = counted(answersBeforePost.load(ordering: .acquiring))
      $0.postsBeforeCompletion = counted(postsBeforeCompletion.load(ordering: .acquiring))
    }
  }

  private func end(_ count: UInt32, at index: Int) {
    add(count, at: index)
    if isStopping.load(ordering: .relaxed) { lastStop.max(nanoseconds(), ordering: .relaxed) }
    inFlight.leave()
  }

  @discardableResult
  private func add(_ count: UInt32, at index: Int) -> UInt32 {
    guard (0..<requestCount).contains(index) else {
      if count == Count.started { strayStartCount.add(1, ordering: .relaxed) }
      return 0
    }
    return counts[index].add(count, ordering: .relaxed).newValue
  }
}

/// How many there are now, the most there were, and how many have left.
private struct Peak: ~Copyable {
  /// How many have left, times 2³², and how many there are: one addition changes both.
  private let counts = Atomic<Int>(0)
  private let most = Atomic<Int>(0)

  var current: Int { Self.current(of: counts.load(ordering: .acquiring)) }
  var peak: Int { most.load(ordering: .acquiring) }
  var left: Int {
    let counts = counts.load(ordering: .acquiring)
    return (counts - Self.current(of: counts)) >> 32
  }

  private static func current(of counts: Int) -> Int { Int(Int32(truncatingIfNeeded: counts)) }

  func enter() {
    let current = Self.current(of: counts.add(1, ordering: .relaxed).newValue)
    var peak = most.load(ordering: .relaxed)
    while current > peak {
      let attempt = most.compareExchange(expected: peak, desired: current, ordering: .relaxed)
      if attempt.exchanged { break }
      peak = attempt.original
    }
  }

  func leave() { counts.add((1 << 32) - 1, ordering: .releasing) }

  func reset() {
    counts.store(0, ordering: .relaxed)
    most.store(0, ordering: .relaxed)
  }
}

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
