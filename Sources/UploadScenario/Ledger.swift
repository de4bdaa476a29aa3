import Synchronization

/// What the service saw of one post at a time. Services write it, the harness reads it.
///
/// Writing costs two atomic additions for a start and two for an end, on any thread, without a lock or an
/// allocation. `open` and `record` are for one thread, between posts.
public final class Ledger: @unchecked Sendable {
  /// One count per byte, so one addition each: started, finished, cancelled, failed. A count above 255 wraps into
  /// its neighbour; that a media is uploaded 256 times in one post is caught as a difference all the same.
  private enum Count {
    static let started: UInt32 = 1
    static let finished: UInt32 = 1 << 8
    static let cancelled: UInt32 = 1 << 16
    static let failed: UInt32 = 1 << 24
  }

  // Invariant: allocated once in init, freed in deinit, `mediaCount` initialised atomics in between; every access
  // is an atomic operation at an index that `slot` has checked. This is what makes the class Sendable.
  private let counts: UnsafeMutablePointer<Atomic<UInt32>>
  private let mediaCount: Int
  private let inFlight = Atomic<Int>(0)
  private let peakInFlight = Atomic<Int>(0)
  private let isClosed = Atomic<Bool>(false)
  private let lateStarts = Atomic<Int>(0)
  private let strayStarts = Atomic<Int>(0)
  private let startsAfterFailure = Atomic<Int>(0)
  private let firstFailure = Atomic<UInt64>(0)
  private let created = Mutex<[[Receipt]]>([])
  private let nanoseconds: @Sendable () -> UInt64

  /// A ledger for posts of `mediaCount` media; `nanoseconds` is the clock that dates the first failure.
  public init(mediaCount: Int, nanoseconds: @escaping @Sendable () -> UInt64) {
    self.mediaCount = mediaCount
    self.nanoseconds = nanoseconds
    counts = .allocate(capacity: max(1, mediaCount))
    for index in 0..<mediaCount { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: mediaCount)
    counts.deallocate()
  }

  // MARK: What services write

  /// An upload of media `index` was asked for.
  public func uploadStarted(_ index: Int) {
    add(Count.started, at: index)
    let current = inFlight.add(1, ordering: .relaxed).newValue
    var peak = peakInFlight.load(ordering: .relaxed)
    while current > peak {
      let attempt = peakInFlight.compareExchange(expected: peak, desired: current, ordering: .relaxed)
      if attempt.exchanged { break }
      peak = attempt.original
    }
    if isClosed.load(ordering: .acquiring) { lateStarts.add(1, ordering: .relaxed) }
    if firstFailure.load(ordering: .relaxed) != 0 { startsAfterFailure.add(1, ordering: .relaxed) }
  }

  /// An upload arrived whole. Call this, or one of the next two, once for every start, before the completion.
  public func uploadFinished(_ index: Int) { end(Count.finished, at: index) }

  /// An upload stopped because it was cancelled.
  public func uploadCancelled(_ index: Int) { end(Count.cancelled, at: index) }

  /// An upload failed.
  public func uploadFailed(_ index: Int) {
    _ = firstFailure.compareExchange(expected: 0, desired: nanoseconds(), ordering: .relaxed)
    end(Count.failed, at: index)
  }

  /// A post was created from these receipts.
  public func postCreated(_ receipts: [Receipt]) { created.withLock { $0.append(receipts) } }

  // MARK: What the harness reads

  /// How many uploads are started and not ended.
  public var uploadsInFlight: Int { inFlight.load(ordering: .acquiring) }

  /// Forgets everything, ready for the next post.
  public func open() {
    for index in 0..<mediaCount { counts[index].store(0, ordering: .relaxed) }
    inFlight.store(0, ordering: .relaxed)
    peakInFlight.store(0, ordering: .relaxed)
    lateStarts.store(0, ordering: .relaxed)
    strayStarts.store(0, ordering: .relaxed)
    startsAfterFailure.store(0, ordering: .relaxed)
    firstFailure.store(0, ordering: .relaxed)
    created.withLock { $0.removeAll(keepingCapacity: true) }
    isClosed.store(false, ordering: .releasing)
  }

  /// The contender has reported: an upload that starts from now on is late. Any thread may call it.
  public func close() { isClosed.store(true, ordering: .releasing) }

  /// All that was seen since `open`.
  public func record() -> LedgerRecord {
    let perMedia = (0..<mediaCount).map { index in
      let bits = counts[index].load(ordering: .acquiring)
      return LedgerRecord.Counts(
        started: Int(bits & 0xFF), finished: Int(bits >> 8 & 0xFF), cancelled: Int(bits >> 16 & 0xFF),
        failed: Int(bits >> 24))
    }
    let failure = firstFailure.load(ordering: .acquiring)
    return LedgerRecord(
      media: perMedia, peakInFlight: peakInFlight.load(ordering: .acquiring), inFlight: uploadsInFlight,
      startsAfterCompletion: lateStarts.load(ordering: .acquiring),
      startsOfUnknownMedia: strayStarts.load(ordering: .acquiring),
      startsAfterFailure: startsAfterFailure.load(ordering: .acquiring),
      firstFailureNanoseconds: failure == 0 ? nil : failure, posts: created.withLock { $0 })
  }

  private func end(_ count: UInt32, at index: Int) {
    add(count, at: index)
    inFlight.subtract(1, ordering: .releasing)
  }

  private func add(_ count: UInt32, at index: Int) {
    guard (0..<mediaCount).contains(index) else {
      if count == Count.started { strayStarts.add(1, ordering: .relaxed) }
      return
    }
    counts[index].add(count, ordering: .relaxed)
  }
}

/// A ledger's content at one moment.
public struct LedgerRecord: Sendable, Hashable {
  /// What happened to one media.
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

  /// By media index.
  public var media: [Counts]
  public var peakInFlight: Int
  public var inFlight: Int
  /// Uploads that started after the contender had reported.
  public var startsAfterCompletion: Int
  /// Uploads of media that the post does not have.
  public var startsOfUnknownMedia: Int
  /// Uploads that started after the service had reported a failure; not wrong by itself (the news travels).
  public var startsAfterFailure: Int
  /// When the service reported the first failure, on the ledger's clock.
  public var firstFailureNanoseconds: UInt64?
  /// The receipts of every post that was created.
  public var posts: [[Receipt]]

  public init(
    media: [Counts], peakInFlight: Int, inFlight: Int = 0, startsAfterCompletion: Int = 0,
    startsOfUnknownMedia: Int = 0, startsAfterFailure: Int = 0, firstFailureNanoseconds: UInt64? = nil,
    posts: [[Receipt]] = []
  ) {
    self.media = media
    self.peakInFlight = peakInFlight
    self.inFlight = inFlight
    self.startsAfterCompletion = startsAfterCompletion
    self.startsOfUnknownMedia = startsOfUnknownMedia
    self.startsAfterFailure = startsAfterFailure
    self.firstFailureNanoseconds = firstFailureNanoseconds
    self.posts = posts
  }
}
