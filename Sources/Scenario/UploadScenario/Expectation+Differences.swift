extension Expectation {
  /// All differences between what is required and what happened. Call this after the service has answered all requests.
  public func differences(result: Result<Publication, any Error>, record: LedgerRecord) -> [Difference] {
    let requests = requestDifferences(record)
    // Wrong requests also cause early posts and skipped work, which are then not reported.
    let early = requests.isEmpty ? earlyPostDifferences(record) + savedWorkDifferences(record) : []
    return resultDifferences(result) + requests + postDifferences(record) + early + boundDifferences(record)
  }

  /// Differences because media files were not prepared or read, for example if results of an earlier post were reused.
  private func savedWorkDifferences(_ record: LedgerRecord) -> [Difference] {
    guard ending == .publication else { return [] }
    func all(_ got: Int?, _ subject: String, _ verb: String) -> [Difference] {
      guard let got, got != scenario.fanOut else { return [] }
      return one(
        .requests, subject, got: "\(got) \(verb) by the service", expected: "\(scenario.fanOut) \(verb)")
    }
    if scenario.pattern.prepares { return all(record.prepares, "media files", "prepared") }
    if scenario.pattern.isChunked { return all(record.chunksRead, "chunks", "read") }
    return []
  }

  private func resultDifferences(_ result: Result<Publication, any Error>) -> [Difference] {
    switch (ending, result) {
    case (.publication, .success(let publication)):
      if publication.postID != post.id {
        return one(.result, "post", got: "id \(publication.postID)", expected: "id \(post.id)")
      }
      return receiptDifferences(publication.receipts, of: "publication")
    case (.failure, .failure(let error)) where error.failedIndex.map(failing.contains) ?? false:
      return []
    case (.cancellation, .failure(is CancellationError)), (.deadline, .failure(is DeadlineExceeded)):
      return []
    default:
      return one(.result, "result", got: Self.describe(result), expected: expectedResult)
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
    record.requests.prefix(scenario.requestCount).enumerated().flatMap { index, counts -> [Difference] in
      let ended = counts.finished + counts.cancelled + counts.failed
      let expected: String?
      if ending == .publication, let promised = unkeptCounts(at: index, counts, record) {
        expected = promised
      } else if counts.started > mostStarts {
        expected = mostStarts == 1 ? "started at most once" : "started at most \(mostStarts) times"
      } else {
        expected = ended == counts.started ? nil : "as many ends as starts"
      }
      return expected.map {
        one(.requests, scenario.requestName(at: index), got: Self.describe(counts), expected: $0)
      } ?? []
    }
  }

  private var mostStarts: Int { scenario.pattern.retries ? scenario.retry.attempts : 1 }

  /// What is required of a request before the post is created, or `nil` if that is met.
  private func unkeptCounts(at index: Int, _ counts: LedgerRecord.Counts, _ record: LedgerRecord) -> String? {
    switch scenario.pattern.requests {
    case .mirrors:
      // One of two mirrors must accept the upload. The request to the primary must start, unless both may start at the same time.
      guard index % 2 == 0 else { return nil }
      let isOptional = scenario.asksBothMirrorsAtOnce && counts.started == 0
      if counts.started != 1, !isOptional { return "started 1" }
      return counts.finished + record.requests[index + 1].finished > 0
        ? nil : "finished 1, at this mirror or the other"
    case .attempts:
      let fewest = attempts.counts[index]
      if counts.started < fewest { return "started \(fewest)" }
      return counts.finished > 0 ? nil : "finished 1"
    case .one, .urlThenUpload:
      return counts == LedgerRecord.Counts(started: 1, finished: 1) ? nil : "started 1, finished 1"
    }
  }

  private func postDifferences(_ record: LedgerRecord) -> [Difference] {
    let expected = ending == .publication ? 1 : 0
    guard record.posts.count == expected else {
      return one(
        .posts, "post", got: "created \(record.posts.count) times",
        expected: expected == 1 ? "created once" : "not created")
    }
    return record.posts.flatMap { receiptDifferences($0, of: "createPost") }
  }

  /// Differences because the post was requested before all answers, so that the contender may have invented receipts.
  private func earlyPostDifferences(_ record: LedgerRecord) -> [Difference] {
    guard ending == .publication, record.posts.count == 1 else { return [] }
    var differences: [Difference] = []
    if let answers = record.answersBeforePost, answers < fewestAnswers {
      differences += one(
        .posts, "post", got: "requested after \(answers) answers", expected: "after \(fewestAnswers) answers")
    }
    if record.racesWithoutAnswer > 0 {
      differences += one(
        .posts, "post", got: "requested while \(record.racesWithoutAnswer) races had no winner",
        expected: "an answer for each media file")
    }
    if record.postsBeforeCompletion == 0 {
      differences += one(
        .posts, "completion", got: "called before the post was created", expected: "after it")
    }
    return differences
  }

  /// The smallest number of answers with a receipt for every media file. In a race, one mirror's answer is enough.
  private var fewestAnswers: Int {
    scenario.pattern.races ? scenario.fanOut : scenario.requestCount
  }

  private func boundDifferences(_ record: LedgerRecord) -> [Difference] {
    var noun: String { "\(scenario.pattern.unit)s" }
    var differences: [Difference] = []
    func check(_ aspect: Aspect, _ subject: @autoclosure () -> String, _ got: Int, atMost most: Int) {
      guard got > most else { return }
      differences += one(aspect, subject(), got: "\(got)", expected: most == 0 ? "0" : "at most \(most)")
    }
    if let limit {
      check(.limit, "\(noun) in flight", record.peakInFlight, atMost: limit)
      check(.mediaUnderWay, "media files from preparation to upload", record.peakChains, atMost: limit)
    }
    check(
      .chunksInMemory, "chunks in memory", record.peakChunks,
      atMost: max(1, scenario.bufferCapacity) + scenario.uploaders)
    check(
      .startsAfterCompletion, "\(noun) started after the completion", record.startsAfterCompletion, atMost: 0)
    check(.requests, "\(noun) that the post does not need", record.strayStarts, atMost: 0)
    check(.leftInFlight, "\(noun) left in flight", record.inFlight, atMost: 0)
    check(.chunksLeft, "chunks left in memory", record.chunksAlive, atMost: 0)
    return differences
  }

  private func receiptDifferences(_ got: [Receipt], of subject: String) -> [Difference] {
    if got.count != receipts.count {
      return one(.receipts, subject, got: "\(got.count) receipts", expected: "\(receipts.count) receipts")
    }
    // A misplaced receipt also misplaces those that follow, so only the first difference is reported.
    guard let index = got.indices.first(where: { got[$0] != receipts[$0] }) else { return [] }
    return one(
      .receipts, "\(subject), receipt \(index)", got: Self.describe(got[index]),
      expected: Self.describe(receipts[index]))
  }

  private func one(_ aspect: Aspect, _ subject: String, got: String, expected: String) -> [Difference] {
    [Difference(aspect: aspect, subject: subject, got: got, expected: expected)]
  }

  private static func describe(_ result: Result<Publication, any Error>) -> String {
    switch result {
    case .success(let publication): "a publication of \(publication.receipts.count) receipts"
    case .failure(let error as UploadFailure): "the failure of media file \(error.mediaIndex)"
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
    "media file \(receipt.mediaIndex), \(receipt.byteCount) bytes, checksum \(String(receipt.checksum, radix: 16))"
  }
}

extension Error {
  /// The index of the upload, chunk or lookup that the error names.
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
