/// The error for a scenario that cannot be run.
public struct InvalidScenario: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem and what to do, a text for users.
  public let reason: String

  package init(reason: String) { self.reason = reason }

  public var description: String { reason }
}

extension Post {
  /// The largest number of media files of a post.
  public static let mostMedia = 1_000_000
}

extension Scenario {
  /// The largest number of low-priority posts that start before a post.
  public static let mostBehind = 100_000

  /// The largest number of posts in flight at a time. Together they have at most ``Post/mostMedia`` media files.
  public static let mostOverlap = 1_000

  /// The problem of the scenario and what to do, or `nil` if the scenario can be started.
  ///
  /// A limit above the number of media files, a buffer of 0 (a rendezvous) and a deadline that has passed are no problems.
  public var problem: InvalidScenario? {
    reasonToRefuse.map(InvalidScenario.init)
  }

  private var reasonToRefuse: String? {
    if photos < 0 || videos < 0 {
      return "a post cannot have \(min(photos, videos)) media files: give 0 or more"
    }
    if photos + videos > Post.mostMedia {
      return "a post can have at most \(Post.mostMedia) media files, not \(photos + videos)"
    }
    if let limit, limit < 1 {
      return "a limit of \(limit) in flight allows no upload: give 1 or more, or no limit"
    }
    if holdsAnswers, let problem = holdProblem { return problem }
    if let overlap, let problem = problem(ofOverlap: overlap) { return problem }
    if !pattern.prepares, priority != .normal || behind != 0 {
      return "\(pattern.rawValue) ignores priorities and earlier posts: use presigned"
    }
    if pattern.isChunked, let problem = streamProblem { return problem }
    if let problem = requestProblem { return problem }
    if pattern.blocksThreads, service == .latency {
      return "the calls of the latency service do not block: use the blocking service"
    }
    return service == .blocking && !pattern.blocksThreads
      ? "the blocking service is only for the blocking pattern: use another service or pattern" : nil
  }

  private var requestProblem: String? {
    switch pattern.requests {
    case .urlThenUpload where preparePasses < 0:
      "a media file cannot be read \(preparePasses) times to prepare it: give 0 or more"
    case .urlThenUpload where behind != 0: behindProblem
    case .mirrors where hedgeDelay < .zero:
      "a hedge delay of \(hedgeDelay) is negative: give 0 or more"
    case .attempts: retryProblem
    default: nil
    }
  }

  private func problem(ofOverlap overlap: Int) -> String? {
    if !(1...Self.mostOverlap).contains(overlap) {
      return "\(overlap) posts cannot be in flight at once: give 1 to \(Self.mostOverlap)"
    }
    if behind != 0 {
      return "a post cannot both overlap with others and start behind them: leave out overlap or behind"
    }
    if fanOut > Post.mostMedia / overlap {
      return
        "\(overlap) posts of \(fanOut) uploads at once are more than \(Post.mostMedia) uploads: use fewer posts or uploads"
    }
    return faults.isEmpty && cancelAfter == nil && retry.deadline == nil
      ? nil : "failing and cancelled posts cannot overlap: leave out overlap, or the failure or cancellation"
  }

  private var holdProblem: String? {
    guard pattern.unit == .upload, pattern.width == .limit, pattern.requests == .one, !pattern.blocksThreads
    else {
      return
        "\(pattern.rawValue) cannot have all its uploads in flight, so their answers cannot be held: use publish"
    }
    if service != .latency { return "the \(service.rawValue) service cannot hold its answers: use latency" }
    return faults.isEmpty && cancelAfter == nil
      ? nil : "failing and cancelled posts may never have all uploads in flight: do not hold their answers"
  }

  private var streamProblem: String? {
    if photos + videos != 1 { return "a stream uploads one media file, not \(photos + videos)" }
    if chunkBytes < 8 || chunkBytes % 8 != 0 {
      return "the size of a chunk must be a multiple of 8 bytes, not \(chunkBytes)"
    }
    if fanOut > Post.mostMedia {
      return "a stream has at most \(Post.mostMedia) chunks, not \(fanOut): use larger chunks"
    }
    if bufferCapacity < 0 { return "a buffer cannot hold \(bufferCapacity) chunks: give 0 or more" }
    if uploaders < 1 { return "\(uploaders) uploaders upload nothing: give 1 or more" }
    return service == .file || service == .blocking
      ? "the \(service.rawValue) service cannot receive chunks: use instant or latency" : nil
  }

  private var behindProblem: String? {
    if behind < 0 { return "a post cannot start behind \(behind) others: give 0 or more" }
    if behind > Self.mostBehind {
      return "a post can start behind at most \(Self.mostBehind) others, not \(behind)"
    }
    if photos + videos == 0 {
      return "a post without media files cannot wait behind others: give it one or more"
    }
    return service == .instant || service == .latency
      ? nil
      : "the \(service.rawValue) service has its own queues, which ignore priorities: use instant or latency"
  }

  private var retryProblem: String? {
    if retry.attempts < 1 { return "\(retry.attempts) attempts start nothing: give 1 or more" }
    if retry.attempts > 200 {
      return "\(retry.attempts) attempts are too many: give 200 or fewer"
    }
    if retry.firstBackoff < .zero || retry.longestBackoff < .zero {
      return "a backoff of \(min(retry.firstBackoff, retry.longestBackoff)) is negative: give 0 or more"
    }
    return nil
  }

  /// The reason why the scenario's ending is uncertain, or `nil`. Timers may be late, so a deadline must not be close to the
  /// service's own times.
  public func chance(for post: Post) -> InvalidScenario? {
    guard pattern.retries else { return nil }
    let forecast = AttemptForecast(scenario: self, post: post)
    let least = Self.farAbove(forecast.slowestAnswer)
    if let deadline = retry.attemptDeadline, deadline > .zero, deadline < least {
      return InvalidScenario(
        reason: "an attempt deadline of \(deadline) leaves it to chance whether an answer comes in time: "
          + "give \(least) or more, or 0")
    }
    let enough = Self.farAbove(forecast.whole)
    if let deadline = retry.deadline, deadline > .zero, deadline < enough,
      Self.farAbove(deadline) > forecast.whole
    {
      return InvalidScenario(
        reason: "a deadline of \(deadline) leaves it to chance whether the job ends in time: "
          + "give \(enough) or more, or 0")
    }
    return nil
  }

  private static func farAbove(_ time: Duration) -> Duration { time * 2 + .milliseconds(20) }

  /// A copy whose passes over a media file take ``prepareTime`` on this machine, which is measured within some milliseconds.
  /// Throws `FileError`.
  public func calibrated(_ media: Media) throws -> Scenario {
    guard pattern.prepares, let prepareTime else { return self }
    let clock = ContinuousClock()
    func onePass(of count: Int) throws -> Duration {
      let start = clock.now
      _ = try PreparedMedia(media, passes: count)
      return start.duration(to: clock.now) / count
    }
    // Many passes make the time of reading the clock negligible. The shortest measurement was not interrupted.
    let first = try onePass(of: 3)
    let count = max(1, min(1_000, Int(.microseconds(200) / max(first, .nanoseconds(1)))))
    let shortest = try (0..<20).map { _ in try onePass(of: count) }.min() ?? first
    var scenario = self
    scenario.setPasses(
      nanoseconds: prepareTime.unsignedNanoseconds, onePass: Double(shortest.unsignedNanoseconds))
    return scenario
  }
}
