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

  /// Whether its answers take the time that the scenario's latency says.
  public var takesTime: Bool { self == .latency || self == .blocking }

  /// Whether real bytes go somewhere and stay there.
  public var keepsBytes: Bool { self == .file || self == .http }
}

/// A pattern plus data: everything that decides what a contender is asked to do.
///
/// Its coded form is part of environment.json, and of what a check tells the other build.
public struct Scenario: Sendable, Hashable, Codable {
  /// Names the scenario in every report; unique within a run.
  public var name: String
  /// The shape of the job.
  public var pattern: Pattern
  /// What is uploaded to.
  public var service: ServiceKind
  /// How many synthetic media files are photos; with `mediaDirectory` those that were found there.
  public var photos: Int
  /// How many are videos; the first of the post are photos.
  public var videos: Int
  /// The size of each synthetic media file.
  public var payloadBytes: Int
  /// At most so many uploads in flight; nil: all at once.
  public var limit: Int?
  /// Where the service calls completions; nil: `inline`.
  public var context: CompletionContext?
  /// How long each request takes on the `latency` and the `blocking` service, before `bytesPerSecond`.
  public var latency = LatencyModel.logNormal(medianNanoseconds: 2_000_000, sigma: usualSigma)
  /// How far requests' times scatter, as a standard deviation of their logarithms.
  package static let usualSigma = 0.5
  /// In which order the `latency` service answers requests that began together.
  public var order = CompletionOrder.shuffled
  /// Whether the `latency` service answers nobody until all that may be in flight are, and then all in `order` without a wait.
  public var holdsAnswers = false
  /// What the `latency` service adds for a media file's size; nil: nothing.
  public var bytesPerSecond: Double?
  /// How often `presigned` reads each media file's bytes to prepare it.
  public var preparePasses = 1
  private var prepareNanoseconds: UInt64?
  /// How urgent the post is, in `presigned`.
  public var priority = PostPriority.normal
  /// So many posts of one media file each and of low priority are started before the post, in `presigned`.
  public var behind = 0
  /// So many posts of a sample are under way at any moment, each started by the completion of one before; 1: back to back. Nil:
  /// each starts from threads that sleep, once the one before has left nothing.
  public var overlap: Int?
  /// The size of a chunk of `stream`; a multiple of 8.
  public var chunkBytes = 64 * 1024
  /// How many chunks may lie between the producer and the uploaders; 0: a rendezvous.
  public var bufferCapacity = 8
  /// How many uploads take chunks.
  public var uploaders = 4
  /// How long `race` waits for the primary mirror before it asks the secondary one, too.
  public var hedgeDelay = Duration.milliseconds(4)
  /// How long and how often `resilient` tries each upload.
  public var retry = RetryPolicy()
  /// Which requests fail, on every service; the server of `http` may refuse more.
  public var faults = Faults()
  private var cancelAfterNanoseconds: UInt64?
  /// What payloads, latencies and faults are drawn from: the same seed asks everyone the same.
  public var seed: UInt64 = 1
  /// Post the photos and videos found here instead of synthetic media.
  public var mediaDirectory: String?
  /// What the bytes of those amount to, all together; nil: they are synthetic.
  public var mediaChecksum: UInt64?
  /// Where the `file` service puts objects.
  public var storeDirectory: String?
  /// Whether the `file` service waits until an object is on the disk itself.
  public var syncsToDisk = false
  /// The URL that the `http` service uploads below.
  public var endpoint: String?

  /// A post of so many photos and videos, published on `instant` all at once, unless `change` says more.
  ///
  /// Nothing is checked: ``problem`` says what is wrong with it.
  public init(
    name: String, pattern: Pattern = .publish, service: ServiceKind = .instant, photos: Int, videos: Int = 0,
    payloadBytes: Int = 64 * 1024, limit: Int? = nil, _ change: (inout Scenario) -> Void = { _ in }
  ) {
    self.name = name
    self.pattern = pattern
    self.service = service
    self.photos = photos
    self.videos = videos
    self.payloadBytes = payloadBytes
    self.limit = limit
    change(&self)
  }

  /// A post of `fanOut` media files, one in five of them a video.
  public init(
    name: String, pattern: Pattern = .publish, service: ServiceKind = .instant, fanOut: Int,
    limit: Int? = nil, _ change: (inout Scenario) -> Void = { _ in }
  ) {
    self.init(
      name: name, pattern: pattern, service: service, photos: fanOut - fanOut / 5, videos: fanOut / 5,
      limit: limit, change)
  }

  /// Cancel so long after the start; nil: never.
  public var cancelAfter: Duration? {
    get { cancelAfterNanoseconds.map { .nanoseconds($0) } }
    set { cancelAfterNanoseconds = newValue?.unsignedNanoseconds }
  }

  /// The usual size of a media file with a ``prepareTime``: small, so that many passes come close to any time.
  public static let computedBytes = 4 * 1024

  /// How long one processor is to take to prepare one media file; nil: as long as ``preparePasses`` take.
  ///
  /// Setting it also sets so many passes as take about so long on a usual machine; ``calibrated(_:)`` counts those of this one.
  public var prepareTime: Duration? {
    get { prepareNanoseconds.map { .nanoseconds($0) } }
    set {
      prepareNanoseconds = newValue?.unsignedNanoseconds
      guard let prepareNanoseconds else { return }
      setPasses(nanoseconds: prepareNanoseconds, onePass: Double(payloadBytes) * 0.4)
    }
  }

  mutating func setPasses(nanoseconds: UInt64, onePass: Double) {
    preparePasses = max(1, Int((Double(nanoseconds) / max(onePass, 1)).rounded()))
  }

  /// The same with its completions there, under a name that says so.
  public func on(_ context: CompletionContext) -> Scenario {
    var scenario = self
    scenario.context = context
    scenario.name += "\(Self.contextMark)\(context.rawValue)"
    return scenario
  }

  /// What stands before the context in a scenario's name.
  static let contextMark = "-on-"

  /// Draws everything random from another seed.
  public mutating func reseed(_ seed: UInt64) {
    self.seed = seed
    faults.seed = seed
    retry.seed = seed
  }

  /// How many uploads, chunks or lookups there are.
  public var fanOut: Int {
    switch pattern.unit {
    case .upload: photos + videos
    case .chunk: (payloadBytes + chunkBytes - 1) / chunkBytes
    case .lookup: PostDetail.allCases.count
    }
  }

  /// At most so many uploads, chunks or lookups may be under way; nil: no such bound.
  public var mostUnderWay: Int? {
    switch pattern.width {
    case .one: 1
    case .limit: limit
    case .uploaders: uploaders
    case .all: nil
    }
  }

  /// Whether both mirrors are asked at once.
  public var asksBothMirrorsAtOnce: Bool { pattern.races && hedgeDelay <= .zero }

  /// Whether the rest of the process is part of the question: threads are blocked, or busy with more than a digest takes.
  public var watchesHeartbeat: Bool { pattern.blocksThreads || pattern.prepares && preparePasses > 1 }

  /// How many places the ledger needs.
  public var requestCount: Int { fanOut * pattern.requestsPerUpload }

  /// How many bytes each request carries, by its place in the ledger.
  public func byteCounts(for post: Post) -> [Int] {
    switch (pattern.unit, pattern.requests) {
    case (.lookup, _): Array(repeating: 0, count: fanOut)
    case (.chunk, _): (0..<fanOut).map { min(chunkBytes, payloadBytes - $0 * chunkBytes) }
    case (.upload, .urlThenUpload): post.media.flatMap { [0, $0.byteCount] }
    case (.upload, .mirrors): post.media.flatMap { [$0.byteCount, $0.byteCount] }
    case (.upload, .one), (.upload, .attempts): post.media.map(\.byteCount)
    }
  }

  /// The same trace for everyone who is given the same scenario and media.
  public func latencyTrace(for post: Post) -> LatencyTrace {
    LatencyTrace(
      model: latency, order: order, byteCounts: byteCounts(for: post), lanes: pattern.requestsPerUpload,
      bytesPerSecond: bytesPerSecond, seed: seed)
  }

  /// The least time that any contender could take; nil where the service's own speed, the faults or the contender decide.
  ///
  /// For scenarios that fail or are cancelled the bound is what happened in the sample itself, not this one.
  public func idealNanoseconds(for post: Post) -> UInt64? {
    let survivesFaults = pattern.races || pattern.retries
    guard service.takesTime, !(service == .latency && holdsAnswers), faults.isEmpty || !survivesFaults
    else { return nil }
    return latencyTrace(for: post).idealNanoseconds(in: self)
  }
}

extension Duration {
  /// In nanoseconds, without what is left of one; 0 if it is negative.
  package var unsignedNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return seconds < 0 || attoseconds < 0
      ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}

extension Scenario {
  /// The number of uploads, chunks or lookups, in words.
  public var size: String { "\(fanOut) \(pattern.unit)\(fanOut == 1 ? "" : "s")" }

  /// How posts of a sample follow each other, in words; nil where each starts from threads that sleep.
  public var rhythm: String? { overlap.map { $0 == 1 ? "posts back to back" : "\($0) posts at once" } }

  /// The scenario's data in one line.
  public var summary: String {
    var parts = ["\(pattern.rawValue) \(size)", "on \(service.rawValue)"]
    if let limit { parts.append("at most \(limit) in flight") }
    if holdsAnswers { parts.append("held until all are in flight, \(order.rawValue)") }
    if pattern.isChunked { parts.append("\(uploaders) uploaders, a buffer of \(bufferCapacity)") }
    switch pattern.requests {
    case .urlThenUpload:
      parts.append(
        prepareTime.map { "each prepared for \(Self.text($0))" }
          ?? "prepared with \(preparePasses) pass\(preparePasses == 1 ? "" : "es")")
      if priority != .normal { parts.append("\(priority.rawValue) priority") }
      if behind > 0 { parts.append("behind \(behind) posts of low priority") }
    case .mirrors where hedgeDelay == .zero: parts.append("both mirrors at once")
    case .mirrors: parts.append("hedged after \(hedgeDelay / .milliseconds(1)) ms")
    case .attempts: parts.append("up to \(retry.attempts) attempts")
    case .one: break
    }
    if let index = faults.failAt { parts.append("\(pattern.unit) \(index) fails") }
    if faults.failureRate > 0 { parts.append("\(faults.failureRate * 100) % fail") }
    if let context { parts.append("completions \(context.summary)") }
    if let rhythm { parts.append(rhythm) }
    if let cancelAfter { parts.append("cancelled after \(cancelAfter / .milliseconds(1)) ms") }
    return parts.joined(separator: ", ")
  }

  /// Such as `200 µs` or `2 ms`.
  private static func text(_ time: Duration) -> String {
    let microseconds = time / .microseconds(1)
    let (value, unit) = microseconds < 1_000 ? (microseconds, "µs") : (microseconds / 1_000, "ms")
    return (value.rounded() == value ? "\(Int(value))" : "\(value)") + " " + unit
  }
}
