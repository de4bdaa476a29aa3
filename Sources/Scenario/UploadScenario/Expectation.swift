/// What a scenario promises of one post: the ledger and the result are held against it.
public struct Expectation: Sendable {
  /// How a job must end.
  public enum Ending: Sendable, Hashable {
    /// Every request succeeds: the post is created, and its publication reported.
    case publication
    /// One of the scenario's failures.
    case failure
    /// The job is cancelled before it has ended: `CancellationError`.
    case cancellation
    /// The whole took longer than it may.
    case deadline
  }

  /// Which part of the promise a difference is about.
  public enum Aspect: Sendable, Hashable, CaseIterable {
    /// What the completion got.
    case result
    /// What the post was created from, and in which order.
    case receipts
    /// How often something was asked for, and how that ended.
    case requests
    /// How many posts were created, one or none, and when.
    case posts
    /// How many requests were in flight at once.
    case limit
    /// How many media were between their first and their last request at once.
    case mediaUnderWay
    /// How many chunks had a buffer at once.
    case chunksInMemory
    /// Requests that were made after the completion had been called.
    case startsAfterCompletion
    /// Requests that had not ended when the ledger was read.
    case leftInFlight
    /// Chunks that still had a buffer then.
    case chunksLeft
  }

  /// One thing that differs. All but the aspect is text for people: nothing is decided by it.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// Which part of the promise it is about.
    public let aspect: Aspect
    /// What was looked at, in words, such as a request or the result.
    public let subject: String
    /// What the ledger or the completion says.
    public let got: String
    /// What the scenario promises.
    public let expected: String

    public var description: String { "\(subject): got \(got), expected \(expected)" }
  }

  /// What was asked for.
  public let scenario: Scenario
  /// The post that it was asked for; its media are those of the scenario.
  public let post: Post
  /// How the job must end; `init(scenario:post:)` works it out from faults, attempts and deadlines.
  public private(set) var ending: Ending
  /// The most requests that may be in flight; nil: as many as there are.
  public let limit: Int?
  /// What the post must be created from.
  public let receipts: [Receipt]
  /// The uploads, chunks or lookups that the scenario lets fail for good.
  private(set) var failing: Set<Int>
  let attempts: AttemptForecast

  /// Reads the media's bytes where receipts are made from them; throws `FileError`.
  ///
  /// `ending` and `failing` are as whoever holds the service decides them; nil: as the scenario's faults do.
  public init(scenario: Scenario, post: Post, ending: Ending? = nil, failing: Set<Int> = []) throws {
    self.scenario = scenario
    self.post = post
    attempts = AttemptForecast(scenario: scenario, post: post)
    self.ending = ending ?? attempts.ending(of: scenario)
    self.failing = ending == nil ? attempts.failing : failing
    receipts = try scenario.expectedReceipts(for: post)
    // What asks again, or elsewhere, may have more requests in flight than uploads.
    let repeatsRequests = scenario.pattern.races || scenario.pattern.retries
    limit = scenario.mostUnderWay ?? (repeatsRequests ? nil : scenario.fanOut)
  }

  /// How a job of the scenario must end; without reading the media.
  public static func ending(of scenario: Scenario, _ post: Post) -> Ending {
    AttemptForecast(scenario: scenario, post: post).ending(of: scenario)
  }

  /// The same job, which must end otherwise.
  public func with(ending: Ending, failing: Set<Int>) -> Expectation {
    var expectation = self
    (expectation.ending, expectation.failing) = (ending, failing)
    return expectation
  }
}

extension Scenario {
  /// The receipts that the post must be created from.
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

  /// What a place in the ledger stands for.
  public func requestName(at index: Int) -> String {
    let name = uploadName(index / pattern.requestsPerUpload)
    return switch pattern.requests {
    case .urlThenUpload: "\(name), \(index % 2 == 0 ? "its URL" : "its upload")"
    case .mirrors: "\(name), \(Mirror(rawValue: index % 2)!) mirror"
    case .one, .attempts: name
    }
  }

  /// What an upload, chunk or lookup is called.
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
