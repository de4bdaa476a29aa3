import Synchronization

/// A record of the requests that a service receives for one post. Services write it on any thread, with a few atomic operations.
///
/// Call `open` and `record` between posts, on one thread.
public final class Ledger: ChunkLedger, @unchecked Sendable {
  /// The four counts of a request, one per byte. A count above 255 overflows into the next byte, which still shows as an error.
  private enum Count {
    static let started: UInt32 = 1
    static let finished: UInt32 = 1 << 8
    static let cancelled: UInt32 = 1 << 16
    static let failed: UInt32 = 1 << 24
  }

  // Invariant: `counts` points to `requestCount` atomics, allocated in init and freed in deinit. Every access is atomic, at an
  // index that was checked. So the class is Sendable.
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
  /// The number of answers when the contender requested the creation of the post, or −1.
  private let answersBeforePost = Atomic<Int>(-1)
  /// The number of created posts when the completion was called, or −1.
  private let postsBeforeCompletion = Atomic<Int>(-1)
  private let rivals: Int
  private let unanswered = Atomic<Int>(0)
  private let nanoseconds: @Sendable () -> UInt64

  /// Creates a ledger with `nanoseconds` as its clock. Of each `rivals` consecutive requests, one must succeed before the post.
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

  // MARK: Written by services

  /// Records a request. Returns how often it has been made.
  @discardableResult
  public func uploadStarted(_ index: Int) -> Int {
    let attempt = Int(add(Count.started, at: index) & 0xFF)
    inFlight.enter()
    if isClosed.load(ordering: .acquiring) { lateStarts.add(1, ordering: .relaxed) }
    if isStopping.load(ordering: .relaxed) { startsAfterFailure.add(1, ordering: .relaxed) }
    return attempt
  }

  /// Records a success. Call this, `uploadCancelled` or `uploadFailed` before each completion.
  public func uploadFinished(_ index: Int) { end(Count.finished, at: index) }

  /// Records a cancellation.
  public func uploadCancelled(_ index: Int) { end(Count.cancelled, at: index) }

  /// Records a failure, which must end the job unless it `mayGoOn` with another attempt or mirror.
  public func uploadFailed(_ index: Int, mayGoOn: Bool = false) {
    if !mayGoOn,
      firstFailure.compareExchange(expected: 0, desired: nanoseconds(), ordering: .relaxed).exchanged
    {
      isStopping.store(true, ordering: .relaxed)
    }
    end(Count.failed, at: index)
  }

  /// Records the start of a media file's requests.
  public func chainStarted() { chains.enter() }

  /// Records the end of a media file's last request.
  public func chainEnded() { chains.leave() }

  public func chunkRead() { chunks.enter() }
  public func chunkReleased() { chunks.leave() }

  /// Records a request to create a post. Call this on the contender's thread.
  public func postRequested() {
    let isFirst = answersBeforePost.compareExchange(
      expected: -1, desired: inFlight.left, ordering: .relaxed
    ).exchanged
    // With mirrors, the number of answers does not show whether each upload has succeeded.
    if isFirst, rivals > 1 { unanswered.store(racesWithoutAnswer, ordering: .releasing) }
  }

  /// Records a created post. Call this before the completion.
  public func postCreated(_ receipts: [Receipt]) {
    created.withLock { $0.append(receipts) }
    createdCount.add(1, ordering: .releasing)
  }

  // MARK: Read by the harness

  /// The number of uploads in flight.
  public var uploadsInFlight: Int { inFlight.current }

  /// The largest number of uploads in flight at a time.
  public var peakInFlight: Int { inFlight.peak }

  /// The number of chunks in memory.
  public var chunksAlive: Int { chunks.current }

  /// Resets the ledger for the next post.
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

  /// Records the completion, on any thread. Uploads and posts that start after this are errors.
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

  /// Records a cancellation of the job. From then on, starts and ends are timed, like after a failure.
  public func stop() { isStopping.store(true, ordering: .relaxed) }

  /// Everything recorded since `open`.
  public func record() -> LedgerRecord { record(reusing: []) }

  /// Everything recorded since `open`, in the memory of an earlier record.
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

/// The current number of things that begin and end, its peak, and the number that have ended.
private struct Peak: ~Copyable {
  /// The number that have ended times 2³², plus the current number, so that one addition changes both.
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

/// The requests that a ledger had recorded at one time.
public struct LedgerRecord: Sendable, Hashable {
  /// The counts of one request.
  public struct Counts: Sendable, Hashable {
    /// The number of times that the request was made, one for each attempt.
    public var started = 0
    /// The number of attempts that succeeded.
    public var finished = 0
    /// The number of attempts that were cancelled before their end.
    public var cancelled = 0
    /// The number of attempts that failed or were refused.
    public var failed = 0

    /// Creates counts. `started` minus the other counts is the number in flight.
    public init(started: Int = 0, finished: Int = 0, cancelled: Int = 0, failed: Int = 0) {
      self.started = started
      self.finished = finished
      self.cancelled = cancelled
      self.failed = failed
    }
  }

  /// The counts of each request, by ``Request/ledgerIndex``.
  public var requests: [Counts]
  /// The largest number of requests in flight at a time.
  public var peakInFlight: Int
  /// The number of requests in flight when the record was made.
  public var inFlight = 0
  /// The largest number of media files between their preparation and their last request.
  public var peakChains = 0
  /// The largest number of chunks in memory.
  public var peakChunks = 0
  /// The number of chunks in memory when the record was made.
  public var chunksAlive = 0
  /// The number of prepared media files. `nil` if the service does not report it.
  public var prepares: Int?
  /// The number of chunks read. `nil` if the service does not report it.
  public var chunksRead: Int?
  /// The number of media files without a successful mirror when the post was requested.
  public var racesWithoutAnswer = 0
  /// The number of uploads that started after the completion.
  public var startsAfterCompletion = 0
  /// The number of requests that the post does not need.
  public var strayStarts = 0
  /// The number of uploads that started after the first failure or `stop`, before the contender reacted.
  public var startsAfterFailure = 0
  /// The time at which the service reported the first failure, on the ledger's clock.
  public var firstFailureNanoseconds: UInt64?
  /// The time at which the last request ended after the first failure or `stop`, on the ledger's clock.
  public var lastStopNanoseconds: UInt64?
  /// The receipts of every post that was created.
  public var posts: [[Receipt]] = []
  /// The number of answered requests when the first post was requested. `nil` if there was none or the service does not report it.
  public var answersBeforePost: Int?
  /// The number of created posts when the completion was called. `nil` if it was not called.
  public var postsBeforeCompletion: Int?

  /// Creates a record. All other fields are 0 or `nil` unless `change` sets them.
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
