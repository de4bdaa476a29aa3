/// What is uploaded to.
public enum ServiceKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// Answers at once, on a thread of its own: what is left is coordination.
  case instant
  /// Answers after a delay that is drawn from the seed, all from one timer thread.
  case latency
  /// Copies bytes into a folder of `storeDirectory`.
  case file
  /// Sends bytes to the server at `endpoint`, by URLSession.
  case http
  /// As `latency`, but blocks the thread that calls `uploadBlocking`.
  case blocking

  /// A line for `bench list`.
  public var summary: String {
    switch self {
    case .instant: "completes at once on its own thread: pure coordination overhead"
    case .latency: "completes after a seeded delay on one timer thread: realistic waiting"
    case .file: "copies real bytes into an object store on disk"
    case .http: "uploads real bytes to the server at --endpoint"
    case .blocking: "as latency, but the call blocks its thread until the upload has arrived"
    }
  }

  /// Whether real bytes go somewhere and stay there.
  public var keepsBytes: Bool { self == .file || self == .http }
}

/// A pattern plus data: everything that decides what a contender is asked to do.
public struct Scenario: Sendable, Hashable, Codable {
  /// Names the scenario in every report; unique within a run.
  public var name: String
  /// The shape of the job.
  public var pattern: Pattern
  /// What is uploaded to.
  public var service: ServiceKind
  /// How many synthetic media are photos; with `mediaDirectory` those that were found there.
  public var photos: Int
  /// How many are videos; the first of the post are photos.
  public var videos: Int
  /// The size of each synthetic media.
  public var payloadBytes: Int
  /// At most so many uploads in flight; nil: all at once.
  public var limit: Int?
  /// How long each request takes on the `latency` and the `blocking` service, before `bytesPerSecond`.
  public var latency: LatencyModel
  /// In which order the `latency` service answers requests that began together.
  public var order: CompletionOrder
  /// Whether the `latency` service answers nobody until all the uploads that may be in flight at once are, and then all in
  /// `order` without a wait; `latency` has no say then.
  public var holdsAnswers: Bool
  /// What the `latency` service adds for a media's size; nil: nothing.
  public var bytesPerSecond: Double?
  /// How often `presigned` reads each media's bytes to prepare it.
  public var preparePasses: Int
  /// How urgent the post is, in `presigned`.
  public var priority: PostPriority
  /// So many posts of one media each and of low priority are started before the post, in `presigned`.
  public var behind: Int
  /// The size of a chunk of `stream`; a multiple of 8.
  public var chunkBytes: Int
  /// How many chunks may lie between the producer and the uploaders; 0: a rendezvous.
  public var bufferCapacity: Int
  /// How many uploads take chunks.
  public var uploaders: Int
  /// How long `race` waits for the primary mirror before it asks the secondary one, too.
  public var hedgeDelay: Duration
  /// How long and how often `resilient` tries each upload.
  public var retry: RetryPolicy
  /// Which requests fail, on every service; the server of `http` may refuse more.
  public var faults: Faults
  /// Cancel so long after the start; nil: never.
  public var cancelAfterNanoseconds: UInt64?
  /// What payloads, latencies and faults are drawn from: the same seed asks everyone the same.
  public var seed: UInt64
  /// Post the photos and videos found here instead of synthetic media.
  public var mediaDirectory: String?
  /// What the bytes of those amount to, all together; nil: they are synthetic.
  public var mediaChecksum: UInt64?
  /// Where the `file` service puts objects.
  public var storeDirectory: String?
  /// Whether the `file` service waits until an object is on the disk itself.
  public var syncsToDisk: Bool
  /// The URL that the `http` service uploads below.
  public var endpoint: String?

  /// A post of so many photos and videos, published on `instant` all at once, unless the other parameters say more.
  ///
  /// Nothing is checked: ``problem`` says what is wrong with it.
  public init(
    name: String, pattern: Pattern = .publish, service: ServiceKind = .instant, photos: Int, videos: Int = 0,
    payloadBytes: Int = 64 * 1024, limit: Int? = nil,
    latency: LatencyModel = .logNormal(medianNanoseconds: 2_000_000, sigma: 0.5),
    order: CompletionOrder = .shuffled, holdsAnswers: Bool = false, bytesPerSecond: Double? = nil,
    preparePasses: Int = 1,
    priority: PostPriority = .normal, behind: Int = 0,
    chunkBytes: Int = 64 * 1024, bufferCapacity: Int = 8, uploaders: Int = 4,
    hedgeDelay: Duration = .milliseconds(4),
    retry: RetryPolicy = RetryPolicy(), faults: Faults = Faults(),
    cancelAfterNanoseconds: UInt64? = nil, seed: UInt64 = 1, mediaDirectory: String? = nil,
    storeDirectory: String? = nil, syncsToDisk: Bool = false, endpoint: String? = nil
  ) {
    self.name = name
    self.pattern = pattern
    self.service = service
    self.photos = photos
    self.videos = videos
    self.payloadBytes = payloadBytes
    self.limit = limit
    self.latency = latency
    self.order = order
    self.holdsAnswers = holdsAnswers
    self.bytesPerSecond = bytesPerSecond
    self.preparePasses = preparePasses
    self.priority = priority
    self.behind = behind
    self.chunkBytes = chunkBytes
    self.bufferCapacity = bufferCapacity
    self.uploaders = uploaders
    self.hedgeDelay = hedgeDelay
    self.retry = retry
    self.faults = faults
    self.cancelAfterNanoseconds = cancelAfterNanoseconds
    self.seed = seed
    self.mediaDirectory = mediaDirectory
    self.storeDirectory = storeDirectory
    self.syncsToDisk = syncsToDisk
    self.endpoint = endpoint
  }

  /// How many uploads, chunks or lookups there are.
  public var fanOut: Int {
    switch pattern {
    case .zip, .zipSerial: PostDetail.allCases.count
    case .stream: (payloadBytes + chunkBytes - 1) / chunkBytes
    default: photos + videos
    }
  }

  /// Whether what becomes of the rest of the process meanwhile is part of the question: threads are blocked, or kept busy
  /// with more preparation than a digest takes.
  public var watchesHeartbeat: Bool { pattern == .blocking || pattern == .presigned && preparePasses > 1 }

  /// How many places the ledger needs.
  public var requestCount: Int { fanOut * pattern.requestsPerUpload }

  /// How many bytes each request carries, by its place in the ledger.
  public func byteCounts(for post: Post) -> [Int] {
    switch pattern {
    case .zip, .zipSerial: [0, 0, 0]
    case .stream: (0..<fanOut).map { min(chunkBytes, payloadBytes - $0 * chunkBytes) }
    case .presigned: post.media.flatMap { [0, $0.byteCount] }
    case .race: post.media.flatMap { [$0.byteCount, $0.byteCount] }
    default: post.media.map(\.byteCount)
    }
  }

  /// The same trace for everyone who is given the same scenario and media.
  public func latencyTrace(for post: Post) -> LatencyTrace {
    LatencyTrace(
      model: latency, order: order, byteCounts: byteCounts(for: post), lanes: pattern.requestsPerUpload,
      bytesPerSecond: bytesPerSecond, seed: seed)
  }

  /// The least time that any contender could take; nil where the service's own speed decides, or the faults do.
  ///
  /// Nor where answers are held: then it is the contender's to start the last upload. For scenarios that fail or are cancelled the bound is what happened in the sample itself, not this one.
  public func idealNanoseconds(for post: Post) -> UInt64? {
    guard service == .latency && !holdsAnswers || service == .blocking,
      faults.isEmpty || pattern != .resilient && pattern != .race
    else { return nil }
    return IdealTime.nanoseconds(of: latencyTrace(for: post), scenario: self)
  }
}

extension Scenario {
  /// The scenario's data in one line.
  public var summary: String {
    var parts = [
      "\(pattern.rawValue) \(fanOut) \(pattern.unit)\(fanOut == 1 ? "" : "s")", "on \(service.rawValue)",
    ]
    if let limit { parts.append("at most \(limit) in flight") }
    if holdsAnswers { parts.append("held until all are in flight, \(order.rawValue)") }
    switch pattern {
    case .presigned:
      parts.append("prepared with \(preparePasses) pass\(preparePasses == 1 ? "" : "es")")
      if priority != .normal { parts.append("\(priority.rawValue) priority") }
      if behind > 0 { parts.append("behind \(behind) posts of low priority") }
    case .stream: parts.append("\(uploaders) uploaders, a buffer of \(bufferCapacity)")
    case .race where hedgeDelay == .zero: parts.append("both mirrors at once")
    case .race: parts.append("hedged after \(hedgeDelay / .milliseconds(1)) ms")
    case .resilient: parts.append("up to \(retry.attempts) attempts")
    default: break
    }
    if let index = faults.failAt { parts.append("\(pattern.unit) \(index) fails") }
    if faults.failureRate > 0 { parts.append("\(faults.failureRate * 100) % fail") }
    if let delay = cancelAfterNanoseconds { parts.append("cancelled after \(Double(delay) / 1e6) ms") }
    return parts.joined(separator: ", ")
  }
}
