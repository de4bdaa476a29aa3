/// The kind of upload service.
public enum ServiceKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// The service answers immediately on its own thread, so that only coordination takes time.
  case instant
  /// The service answers on one timer thread, after a delay that is drawn from the seed.
  case latency
  /// The service copies bytes into a folder in `storeDirectory`.
  case file
  /// The service sends bytes to the server at `endpoint` by URLSession.
  case http
  /// The service is like `latency`, but blocks the thread that calls `uploadBlocking`.
  case blocking

  /// A description for `bench list`.
  public var summary: String {
    switch self {
    case .instant: "completes at once on its own thread: pure coordination overhead"
    case .latency: "completes after a seeded delay on one timer thread: realistic waiting"
    case .file: "copies real bytes into an object store on disk"
    case .http: "uploads real bytes to the server at --endpoint"
    case .blocking: "like latency, but the call blocks its thread until the upload has arrived"
    }
  }

  /// Whether the service answers after the scenario's latency.
  public var takesTime: Bool { self == .latency || self == .blocking }

  /// Whether the service stores real bytes.
  public var keepsBytes: Bool { self == .file || self == .http }
}

/// A pattern and all data that define a contender's work. The encoded form is part of environment.json.
public struct Scenario: Sendable, Hashable, Codable {
  /// The name in reports, unique within a run.
  public var name: String
  /// The pattern, which is the shape of the job.
  public var pattern: Pattern
  /// The upload service.
  public var service: ServiceKind
  /// The number of photos. With `mediaDirectory`, the number found there.
  public var photos: Int
  /// The number of videos, which come after the photos in synthetic posts.
  public var videos: Int
  /// The size of each synthetic media file.
  public var payloadBytes: Int
  /// The largest number of uploads in flight. `nil` means no limit.
  public var limit: Int?
  /// The thread or queue on which the service calls completions. `nil` means `inline`.
  public var context: CompletionContext?
  /// The time of each request on the services `latency` and `blocking`, without the transfer time of `bytesPerSecond`.
  public var latency = LatencyModel.logNormal(medianNanoseconds: 2_000_000, sigma: usualSigma)
  /// The usual standard deviation of the logarithms of request times.
  package static let usualSigma = 0.5
  /// The order in which the `latency` service answers requests that start at the same time.
  public var order = CompletionOrder.shuffled
  /// Whether the `latency` service answers, in `order`, only when all uploads that the limit allows are in flight.
  public var holdsAnswers = false
  /// The transfer rate of the `latency` service. `nil` means that transfers take no time.
  public var bytesPerSecond: Double?
  /// The number of times that `presigned` reads each media file to prepare it.
  public var preparePasses = 1
  private var prepareNanoseconds: UInt64?
  /// The post's priority, in `presigned`.
  public var priority = PostPriority.normal
  /// The number of low-priority posts that start before the post, in `presigned`. Each has one media file.
  public var behind = 0
  /// The number of posts in flight at a time. `nil` means that each post starts after the previous one, when all threads sleep.
  public var overlap: Int?
  /// The size in bytes of a chunk of `stream`, a multiple of 8.
  public var chunkBytes = 64 * 1024
  /// The largest number of chunks that wait for an upload.
  public var bufferCapacity = 8
  /// The number of concurrent uploads of chunks.
  public var uploaders = 4
  /// The time that `race` waits for the primary mirror before it starts the upload to the secondary.
  public var hedgeDelay = Duration.milliseconds(4)
  /// The attempts and time limits of `resilient`.
  public var retry = RetryPolicy()
  /// The requests that fail, on every service. The server of `http` may refuse other requests, too.
  public var faults = Faults()
  private var cancelAfterNanoseconds: UInt64?
  /// The seed of payloads, latencies and faults, the same for every contender.
  public var seed: UInt64 = 1
  /// The folder of photos and videos that are posted instead of synthetic media.
  public var mediaDirectory: String?
  /// The checksum of the bytes of all files in `mediaDirectory`. `nil` if the media are synthetic.
  public var mediaChecksum: UInt64?
  /// The folder where the `file` service stores objects.
  public var storeDirectory: String?
  /// Whether the `file` service waits until each object is on the disk (`fsync`).
  public var syncsToDisk = false
  /// The base URL of the `http` service.
  public var endpoint: String?

  /// Creates a scenario, by default of `publish` on `instant` without a limit. Invalid values have a ``problem``.
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

  /// Creates a scenario of `fanOut` media files, one in five a video.
  public init(
    name: String, pattern: Pattern = .publish, service: ServiceKind = .instant, fanOut: Int,
    limit: Int? = nil, _ change: (inout Scenario) -> Void = { _ in }
  ) {
    self.init(
      name: name, pattern: pattern, service: service, photos: fanOut - fanOut / 5, videos: fanOut / 5,
      limit: limit, change)
  }

  /// The time after the start at which the job is cancelled. `nil` means never.
  public var cancelAfter: Duration? {
    get { cancelAfterNanoseconds.map { .nanoseconds($0) } }
    set { cancelAfterNanoseconds = newValue?.unsignedNanoseconds }
  }

  /// The usual size of a media file with a ``prepareTime``: so small that a number of passes over the file comes close to any time.
  public static let computedBytes = 4 * 1024

  /// The processor time to prepare one media file. Setting it estimates ``preparePasses``; ``calibrated(_:)`` measures that number.
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

  /// A copy of the scenario with another completion context, which is also appended to the name.
  public func on(_ context: CompletionContext) -> Scenario {
    var scenario = self
    scenario.context = context
    scenario.name += "\(Self.contextMark)\(context.rawValue)"
    return scenario
  }

  static let contextMark = "-on-"

  /// Sets the seeds of the scenario, its faults and its retry policy.
  public mutating func reseed(_ seed: UInt64) {
    self.seed = seed
    faults.seed = seed
    retry.seed = seed
  }

  /// The number of uploads, chunks or lookups.
  public var fanOut: Int {
    switch pattern.unit {
    case .upload: photos + videos
    case .chunk: (payloadBytes + chunkBytes - 1) / chunkBytes
    case .lookup: PostDetail.allCases.count
    }
  }

  /// The largest number of uploads, chunks or lookups in flight. `nil` means no limit.
  public var mostUnderWay: Int? {
    switch pattern.width {
    case .one: 1
    case .limit: limit
    case .uploaders: uploaders
    case .all: nil
    }
  }

  /// Whether the uploads to both mirrors start at the same time.
  public var asksBothMirrorsAtOnce: Bool { pattern.races && hedgeDelay <= .zero }

  /// Whether the lag of timers is measured, because the pattern blocks threads or computes for long.
  public var watchesHeartbeat: Bool { pattern.blocksThreads || pattern.prepares && preparePasses > 1 }

  /// The number of requests of a post. Each has its own index in the ledger.
  public var requestCount: Int { fanOut * pattern.requestsPerUpload }

  /// The number of bytes that each request sends, by ``Request/ledgerIndex``.
  public func byteCounts(for post: Post) -> [Int] {
    switch (pattern.unit, pattern.requests) {
    case (.lookup, _): Array(repeating: 0, count: fanOut)
    case (.chunk, _): (0..<fanOut).map { min(chunkBytes, payloadBytes - $0 * chunkBytes) }
    case (.upload, .urlThenUpload): post.media.flatMap { [0, $0.byteCount] }
    case (.upload, .mirrors): post.media.flatMap { [$0.byteCount, $0.byteCount] }
    case (.upload, .one), (.upload, .attempts): post.media.map(\.byteCount)
    }
  }

  /// The trace of upload times, the same for the same scenario and media files.
  public func latencyTrace(for post: Post) -> LatencyTrace {
    LatencyTrace(
      model: latency, order: order, byteCounts: byteCounts(for: post), lanes: pattern.requestsPerUpload,
      bytesPerSecond: bytesPerSecond, seed: seed)
  }

  /// The shortest possible time of any contender. `nil` if it depends on the service's speed, the faults or the contender.
  public func idealNanoseconds(for post: Post) -> UInt64? {
    let survivesFaults = pattern.races || pattern.retries
    guard service.takesTime, !(service == .latency && holdsAnswers), faults.isEmpty || !survivesFaults
    else { return nil }
    return latencyTrace(for: post).idealNanoseconds(in: self)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, 0 if it is negative.
  package var unsignedNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return seconds < 0 || attoseconds < 0
      ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}

extension Scenario {
  /// The number of uploads, chunks or lookups, in words.
  public var size: String { "\(fanOut) \(pattern.unit)\(fanOut == 1 ? "" : "s")" }

  /// The way in which posts overlap, in words. `nil` if each post starts when all threads sleep.
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

  /// A time in words. Examples: `200 µs`, `2 ms`.
  private static func text(_ time: Duration) -> String {
    let microseconds = time / .microseconds(1)
    let (value, unit) = microseconds < 1_000 ? (microseconds, "µs") : (microseconds / 1_000, "ms")
    return (value.rounded() == value ? "\(Int(value))" : "\(value)") + " " + unit
  }
}
