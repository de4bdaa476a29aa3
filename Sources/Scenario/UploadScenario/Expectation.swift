/// What a scenario requires of one post. The job's result and the record of its requests are compared with it.
public struct Expectation: Sendable {
  /// The way in which a job must end.
  public enum Ending: Sendable, Hashable {
    /// All requests succeed, and the post is created.
    case publication
    /// The job fails with one of the scenario's failures.
    case failure
    /// The job is cancelled before its end and fails with `CancellationError`.
    case cancellation
    /// The job exceeds its deadline and fails with `DeadlineExceeded`.
    case deadline
  }

  /// The part of the expectation that a difference is about.
  public enum Aspect: Sendable, Hashable, CaseIterable {
    /// The result that the completion receives.
    case result
    /// The receipts of the post, and their order.
    case receipts
    /// The number of requests and the ways in which they ended.
    case requests
    /// The number of created posts, and the time of their creation.
    case posts
    /// The largest number of requests in flight.
    case limit
    /// The largest number of media files between their first and last request.
    case mediaUnderWay
    /// The largest number of chunks in memory.
    case chunksInMemory
    /// The requests made after the completion.
    case startsAfterCompletion
    /// The requests still in flight when the service's record was read.
    case leftInFlight
    /// The chunks still in memory when the service's record was read.
    case chunksLeft
  }

  /// A difference between what is required and what happened, in words.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// The part of the expectation that is not met.
    public let aspect: Aspect
    /// The subject of the difference in words, such as a request or the result.
    public let subject: String
    /// The actual value.
    public let got: String
    /// The expected value.
    public let expected: String

    public var description: String { "\(subject): got \(got), expected \(expected)" }
  }

  /// The scenario that sets the requirements.
  public let scenario: Scenario
  /// The post, with the scenario's media files.
  public let post: Post
  /// The way in which the job must end.
  public private(set) var ending: Ending
  /// The largest allowed number of requests in flight. `nil` means no limit.
  public let limit: Int?
  /// The receipts that the post must have.
  public let receipts: [Receipt]
  /// The uploads, chunks or lookups that fail after all their attempts or at both mirrors.
  private(set) var failing: Set<Int>
  let attempts: AttemptForecast

  /// Computes the expectation. Without `ending`, the scenario decides how the job must end. Throws `FileError` if receipts depend
  /// on media files that cannot be read.
  public init(scenario: Scenario, post: Post, ending: Ending? = nil, failing: Set<Int> = []) throws {
    self.scenario = scenario
    self.post = post
    attempts = AttemptForecast(scenario: scenario, post: post)
    self.ending = ending ?? attempts.ending(of: scenario)
    self.failing = ending == nil ? attempts.failing : failing
    receipts = try scenario.expectedReceipts(for: post)
    // Retries and mirrors make more requests than uploads, so without a limit any number may be in flight.
    let repeatsRequests = scenario.pattern.races || scenario.pattern.retries
    limit = scenario.mostUnderWay ?? (repeatsRequests ? nil : scenario.fanOut)
  }

  /// The way in which a job of the scenario must end, found without reading media files.
  public static func ending(of scenario: Scenario, _ post: Post) -> Ending {
    AttemptForecast(scenario: scenario, post: post).ending(of: scenario)
  }

  /// A copy of the expectation with another ending.
  public func with(ending: Ending, failing: Set<Int>) -> Expectation {
    var expectation = self
    (expectation.ending, expectation.failing) = (ending, failing)
    return expectation
  }
}

extension Scenario {
  fileprivate func expectedReceipts(for post: Post) throws -> [Receipt] {
    switch pattern.unit {
    case .lookup: return []
    case .chunk:
      let reader = try ChunkReader(post.media[0], chunkBytes: chunkBytes)
      var receipts: [Receipt] = []
      while let chunk = try reader.next() { receipts.append(chunk.receipt) }
      return receipts
    case .upload where pattern.prepares:
      return try post.media.map { try PreparedMedia($0, passes: preparePasses).receipt }
    case .upload: return post.media.map(\.expectedReceipt)
    }
  }

  /// The name of the request at a ``Request/ledgerIndex``.
  public func requestName(at index: Int) -> String {
    let name = uploadName(index / pattern.requestsPerUpload)
    return switch pattern.requests {
    case .urlThenUpload: "\(name), \(index % 2 == 0 ? "its URL" : "its upload")"
    case .mirrors: "\(name), \(Mirror(rawValue: index % 2)!) mirror"
    case .one, .attempts: name
    }
  }

  /// The name of an upload, chunk or lookup.
  package func uploadName(_ index: Int) -> String {
    switch pattern.unit {
    case .lookup: "\(PostDetail(rawValue: index)!)"
    case .chunk: "chunk \(index)"
    case .upload: "media file \(index)"
    }
  }
}

extension AttemptForecast {
  fileprivate func ending(of scenario: Scenario) -> Expectation.Ending {
    if scenario.cancelAfter != nil { return .cancellation }
    return exceedDeadline ? .deadline : failing.isEmpty ? .publication : .failure
  }
}
