/// What a scenario promises of one post: the ledger and the result are held against it.
public struct Expectation: Sendable {
  /// How a job must end.
  public enum Ending: Sendable, Hashable {
    case publication
    /// One of the scenario's failures.
    case failure
    case cancellation
  }

  /// One thing that differs: where, what was seen, what was promised.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    public let subject: String
    public let got: String
    public let expected: String

    public init(subject: String, got: String, expected: String) {
      self.subject = subject
      self.got = got
      self.expected = expected
    }

    public var description: String { "\(subject): got \(got), expected \(expected)" }
  }

  public let post: Post
  public let ending: Ending
  /// The most uploads that may be in flight.
  public let limit: Int
  private let receipts: [Receipt]
  private let failing: Set<Int>
  /// What each index of the ledger stands for.
  private let subjects: [String]
  private let noun: String

  public init(scenario: Scenario, post: Post) {
    self.post = post
    let media = scenario.pattern.uploadsMedia ? post.media : []
    receipts = media.map(\.expectedReceipt)
    subjects =
      scenario.pattern.uploadsMedia ? media.map { "media \($0.index)" } : PostDetail.allCases.map { "\($0)" }
    noun = scenario.pattern.uploadsMedia ? "uploads" : "lookups"
    failing = Set(subjects.indices.filter { scenario.faults.failure(at: $0) != nil })
    ending =
      scenario.cancelAfterNanoseconds != nil ? .cancellation : failing.isEmpty ? .publication : .failure
    limit = scenario.pattern.isSerial ? 1 : scenario.limit ?? subjects.count
  }

  /// Everything in which a result and its ledger differ from the promise; empty if it was kept.
  ///
  /// To be asked once the service is quiet. The list is in the order of the media and short: one difference a media.
  public func differences(result: Result<Publication, any Error>, record: LedgerRecord) -> [Difference] {
    resultDifferences(result) + mediaDifferences(record) + postDifferences(record) + boundDifferences(record)
  }

  private func resultDifferences(_ result: Result<Publication, any Error>) -> [Difference] {
    let failingNames = failing.sorted().prefix(8).map { subjects[$0] }.joined(separator: ", ")
    switch (ending, result) {
    case (.publication, .success(let publication)):
      if publication.postID != post.id {
        return [Difference(subject: "post", got: "id \(publication.postID)", expected: "id \(post.id)")]
      }
      return receiptDifferences(publication.receipts, of: "publication")
    case (.failure, .failure(let failure as UploadFailure)) where failing.contains(failure.mediaIndex):
      return []
    case (.failure, .failure(let failure as LookupFailure)) where failing.contains(failure.detail.rawValue):
      return []
    case (.cancellation, .failure(is CancellationError)):
      return []
    case (.publication, _):
      return [Difference(subject: "result", got: Self.describe(result), expected: "a publication")]
    case (.failure, _):
      return [
        Difference(
          subject: "result", got: Self.describe(result),
          expected: "the failure of \(failingNames)")
      ]
    case (.cancellation, _):
      return [Difference(subject: "result", got: Self.describe(result), expected: "CancellationError")]
    }
  }

  private func mediaDifferences(_ record: LedgerRecord) -> [Difference] {
    var differences: [Difference] = []
    for (subject, counts) in zip(subjects, record.media) {
      let ended = counts.finished + counts.cancelled + counts.failed
      if ending == .publication, counts != LedgerRecord.Counts(started: 1, finished: 1) {
        differences.append(
          Difference(subject: subject, got: Self.describe(counts), expected: "started 1, finished 1"))
      } else if counts.started > 1 {
        differences.append(
          Difference(subject: subject, got: Self.describe(counts), expected: "started at most once"))
      } else if ended != counts.started {
        differences.append(
          Difference(subject: subject, got: Self.describe(counts), expected: "as many ends as starts"))
      }
    }
    return differences
  }

  private func postDifferences(_ record: LedgerRecord) -> [Difference] {
    let expected = ending == .publication ? 1 : 0
    guard record.posts.count == expected else {
      return [
        Difference(
          subject: "post", got: "created \(record.posts.count) times",
          expected: expected == 1 ? "created once" : "not created")
      ]
    }
    return record.posts.flatMap { receiptDifferences($0, of: "createPost") }
  }

  private func boundDifferences(_ record: LedgerRecord) -> [Difference] {
    var differences: [Difference] = []
    if record.peakInFlight > limit {
      differences.append(
        Difference(subject: "\(noun) in flight", got: "\(record.peakInFlight)", expected: "at most \(limit)"))
    }
    if record.startsAfterCompletion > 0 {
      differences.append(
        Difference(
          subject: "\(noun) started after the completion", got: "\(record.startsAfterCompletion)",
          expected: "0"))
    }
    if record.startsOfUnknownMedia > 0 {
      differences.append(
        Difference(
          subject: "uploads of media outside the post", got: "\(record.startsOfUnknownMedia)", expected: "0"))
    }
    if record.inFlight > 0 {
      differences.append(
        Difference(subject: "\(noun) left in flight", got: "\(record.inFlight)", expected: "0"))
    }
    return differences
  }

  private func receiptDifferences(_ got: [Receipt], of subject: String) -> [Difference] {
    if got.count != receipts.count {
      return [
        Difference(subject: subject, got: "\(got.count) receipts", expected: "\(receipts.count) receipts")
      ]
    }
    // The first one is enough: what follows a misplaced receipt is misplaced too.
    return zip(got, receipts).enumerated().first { $1.0 != $1.1 }.map { index, pair in
      [
        Difference(
          subject: "\(subject), receipt \(index)", got: Self.describe(pair.0),
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
