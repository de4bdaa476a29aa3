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

  /// One thing that differs: where, what was seen, what was promised.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// Which part of the promise it is about.
    public let aspect: Aspect
    /// What was looked at, in words, such as a request or the result.
    public let subject: String
    /// What the ledger or the completion says.
    public let got: String
    /// What the scenario promises.
    public let expected: String

    /// All but the aspect is text for people: nothing is decided by it.
    public init(_ aspect: Aspect, subject: String, got: String, expected: String) {
      self.aspect = aspect
      self.subject = subject
      self.got = got
      self.expected = expected
    }

    public var description: String { "\(subject): got \(got), expected \(expected)" }
  }

  /// What was asked for.
  public let scenario: Scenario
  /// The post that it was asked for; its media are those of the scenario.
  public let post: Post
  /// How the job must end; `init(scenario:post:)` works it out from faults, attempts and deadlines.
  public let ending: Ending
  /// The most requests that may be in flight; nil: as many as there are.
  public let limit: Int?
  /// What the post must be created from.
  public let receipts: [Receipt]
  /// The uploads, chunks or lookups that the scenario lets fail for good.
  let failing: Set<Int>
  let attempts: AttemptForecast

  /// Reads the media's bytes where receipts are made from them; throws `MediaReadError`.
  public init(scenario: Scenario, post: Post) throws {
    let attempts = AttemptForecast(scenario: scenario, post: post)
    let failing = attempts.failing(of: scenario)
    try self.init(
      scenario: scenario, post: post,
      ending: attempts.ending(of: scenario, failing: failing), failing: failing, attempts: attempts)
  }

  /// How a job of the scenario must end; without reading the media.
  public static func ending(of scenario: Scenario, _ post: Post) -> Ending {
    let attempts = AttemptForecast(scenario: scenario, post: post)
    return attempts.ending(of: scenario, failing: attempts.failing(of: scenario))
  }

  /// The ending, and what fails for good, as whoever holds the service decides them, whatever the scenario's faults.
  public init(scenario: Scenario, post: Post, ending: Ending, failing: Set<Int> = []) throws {
    try self.init(
      scenario: scenario, post: post, ending: ending, failing: failing,
      attempts: AttemptForecast(scenario: scenario, post: post))
  }

  private init(
    scenario: Scenario, post: Post, ending: Ending, failing: Set<Int>, attempts: AttemptForecast
  ) throws {
    self.scenario = scenario
    self.post = post
    self.ending = ending
    self.failing = failing
    self.attempts = attempts
    receipts = try scenario.expectedReceipts(for: post)
    // What asks again, or elsewhere, may have more requests in flight than uploads.
    limit = scenario.mostUnderWay ?? (scenario.repeatsRequests ? nil : scenario.fanOut)
  }

  /// Everything in which a result and its ledger differ from the promise; empty if it was kept.
  ///
  /// To be asked once the service is quiet. The list is in the order of the media and short: one difference a media.
  public func differences(result: Result<Publication, any Error>, record: LedgerRecord) -> [Difference] {
    let requests = requestDifferences(record)
    // What was never uploaded says enough.
    let early = requests.isEmpty ? earlyPostDifferences(record) : []
    return resultDifferences(result) + requests + postDifferences(record) + early + boundDifferences(record)
  }

  private func resultDifferences(_ result: Result<Publication, any Error>) -> [Difference] {
    switch (ending, result) {
    case (.publication, .success(let publication)):
      if publication.postID != post.id {
        return [
          Difference(.result, subject: "post", got: "id \(publication.postID)", expected: "id \(post.id)")
        ]
      }
      return receiptDifferences(publication.receipts, of: "publication")
    case (.failure, .failure(let error)) where error.failedIndex.map(failing.contains) ?? false:
      return []
    case (.cancellation, .failure(is CancellationError)), (.deadline, .failure(is DeadlineExceeded)):
      return []
    default:
      return [Difference(.result, subject: "result", got: Self.describe(result), expected: expectedResult)]
    }
  }

  private var expectedResult: String {
    switch ending {
    case .publication: "a publication"
    case .failure:
      "the failure of \(failing.sorted().prefix(8).map(scenario.uploadName).joined(separator: ", "))"
    case .cancellation: "CancellationError"
    case .deadline: "DeadlineExceeded"
    }
  }

  private func requestDifferences(_ record: LedgerRecord) -> [Difference] {
    var differences: [Difference] = []
    for (index, counts) in record.requests.prefix(scenario.requestCount).enumerated() {
      let ended = counts.finished + counts.cancelled + counts.failed
      let expected: String?
      if ending == .publication, let promised = unkeptCounts(at: index, counts, record) {
        expected = promised
      } else if counts.started > mostStarts {
        expected = mostStarts == 1 ? "started at most once" : "started at most \(mostStarts) times"
      } else {
        expected = ended == counts.started ? nil : "as many ends as starts"
      }
      if let expected {
        differences.append(
          Difference(
            .requests, subject: scenario.requestName(at: index), got: Self.describe(counts),
            expected: expected))
      }
    }
    return differences
  }

  private var mostStarts: Int { scenario.pattern.retries ? scenario.retry.attempts : 1 }

  /// What a request of a post that was created promises, if it is not so.
  private func unkeptCounts(at index: Int, _ counts: LedgerRecord.Counts, _ record: LedgerRecord) -> String? {
    switch scenario.pattern.requests {
    case .mirrors:
      // One of the two has arrived; the primary is asked first, and in a plain race whichever comes first.
      guard index % 2 == 0 else { return nil }
      let isOptional = scenario.asksBothMirrorsAtOnce && counts.started == 0
      if counts.started != 1, !isOptional { return "started 1" }
      return counts.finished + record.requests[index + 1].finished > 0
        ? nil : "finished 1, here or at the other"
    case .attempts:
      let fewest = attempts.count(at: index)
      if counts.started < fewest { return "started \(fewest)" }
      return counts.finished > 0 ? nil : "finished 1"
    case .one, .urlThenUpload:
      return counts == LedgerRecord.Counts(started: 1, finished: 1) ? nil : "started 1, finished 1"
    }
  }

  private func postDifferences(_ record: LedgerRecord) -> [Difference] {
    let expected = ending == .publication ? 1 : 0
    guard record.posts.count == expected else {
      return [
        Difference(
          .posts, subject: "post", got: "created \(record.posts.count) times",
          expected: expected == 1 ? "created once" : "not created")
      ]
    }
    return record.posts.flatMap { receiptDifferences($0, of: "createPost") }
  }

  /// What the receipts do not show: who makes them up need not wait for the answers that they come with.
  private func earlyPostDifferences(_ record: LedgerRecord) -> [Difference] {
    guard ending == .publication, record.posts.count == 1 else { return [] }
    var differences: [Difference] = []
    if let answers = record.answersBeforePost, answers < fewestAnswers {
      differences.append(
        Difference(
          .posts, subject: "post", got: "asked for after \(answers) answers",
          expected: "after \(fewestAnswers) answers"))
    }
    if record.postsBeforeCompletion == 0 {
      differences.append(
        Difference(
          .posts, subject: "completion", got: "called before the post was created", expected: "after it"))
    }
    return differences
  }

  /// Without so many answers there cannot be a receipt of every media. In a race one mirror's is enough.
  private var fewestAnswers: Int {
    scenario.pattern.races ? scenario.fanOut : scenario.requestCount
  }

  private func boundDifferences(_ record: LedgerRecord) -> [Difference] {
    let noun = "\(scenario.pattern.unit)s"
    var differences: [Difference] = []
    func check(_ aspect: Aspect, _ subject: String, _ got: Int, atMost most: Int) {
      guard got > most else { return }
      let expected = most == 0 ? "0" : "at most \(most)"
      differences.append(Difference(aspect, subject: subject, got: "\(got)", expected: expected))
    }
    if let limit {
      check(.limit, "\(noun) in flight", record.peakInFlight, atMost: limit)
      check(.mediaUnderWay, "media under way", record.peakChains, atMost: limit)
    }
    check(
      .chunksInMemory, "chunks in memory", record.peakChunks,
      atMost: max(1, scenario.bufferCapacity) + scenario.uploaders)
    check(
      .startsAfterCompletion, "\(noun) started after the completion", record.startsAfterCompletion, atMost: 0)
    check(.requests, "\(noun) outside the post", record.strayStarts, atMost: 0)
    check(.leftInFlight, "\(noun) left in flight", record.inFlight, atMost: 0)
    check(.chunksLeft, "chunks left in memory", record.chunksAlive, atMost: 0)
    return differences
  }

  private func receiptDifferences(_ got: [Receipt], of subject: String) -> [Difference] {
    if got.count != receipts.count {
      return [
        Difference(
          .receipts, subject: subject, got: "\(got.count) receipts", expected: "\(receipts.count) receipts")
      ]
    }
    // The first one is enough: what follows a misplaced receipt is misplaced too.
    return zip(got, receipts).enumerated().first { $1.0 != $1.1 }.map { index, pair in
      [
        Difference(
          .receipts, subject: "\(subject), receipt \(index)", got: Self.describe(pair.0),
          expected: Self.describe(pair.1))
      ]
    } ?? []
  }

  private static func describe(_ result: Result<Publication, any Error>) -> String {
    switch result {
    case .success(let publication): "a publication of \(publication.receipts.count) receipts"
    case .failure(let error as UploadFailure): "the failure of media \(error.mediaIndex)"
    case .failure(let error as LookupFailure): "the failure of \(error.detail)"
    case .failure(let error): "\(error)"
    }
  }

  private static func describe(_ counts: LedgerRecord.Counts) -> String {
    let parts = [
      ("started", counts.started), ("finished", counts.finished), ("cancelled", counts.cancelled),
      ("failed", counts.failed),
    ]
    let named = parts.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    return named.isEmpty ? "never started" : named.joined(separator: ", ")
  }

  private static func describe(_ receipt: Receipt) -> String {
    "media \(receipt.mediaIndex), \(receipt.byteCount) bytes, checksum \(String(receipt.checksum, radix: 16))"
  }
}

extension Scenario {
  fileprivate var repeatsRequests: Bool { pattern.races || pattern.retries }

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

  /// Whether an upload, chunk or lookup fails for good.
  fileprivate func fails(at index: Int) -> Bool {
    let survives = pattern.races && faults.mirror != nil
    return !survives && faults.kind(at: index) != nil
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

  fileprivate func uploadName(_ index: Int) -> String {
    switch pattern.unit {
    case .lookup: "\(PostDetail(rawValue: index)!)"
    case .chunk: "chunk \(index)"
    case .upload: "media \(index)"
    }
  }
}

extension Error {
  /// The upload, chunk or lookup that this says has failed.
  fileprivate var failedIndex: Int? {
    switch self {
    case let failure as UploadFailure: failure.mediaIndex
    case let failure as LookupFailure: failure.detail.rawValue
    case let failure as RaceFailure: failure.mediaIndex
    case let failure as AttemptTimedOut: failure.mediaIndex
    default: nil
    }
  }
}

extension AttemptForecast {
  /// The uploads, chunks or lookups that the scenario lets fail for good.
  fileprivate func failing(of scenario: Scenario) -> Set<Int> {
    scenario.pattern.retries ? failing : Set((0..<scenario.fanOut).filter { scenario.fails(at: $0) })
  }

  fileprivate func ending(of scenario: Scenario, failing: Set<Int>) -> Expectation.Ending {
    if scenario.cancelAfter != nil { return .cancellation }
    return exceedDeadline ? .deadline : failing.isEmpty ? .publication : .failure
  }
}
