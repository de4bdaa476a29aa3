import TestSupport
import Testing
import UploadScenario

/// The differences between patterns; `ExpectationTests` covers the rest.
@Suite(.ownThread) struct ExpectationPatternTests {
  typealias Counts = LedgerRecord.Counts

  static let post = Post.synthetic(photos: 2, videos: 0, payloadBytes: 16, seed: 3)
  static let once = Counts(started: 1, finished: 1)

  private func sentences(
    _ pattern: Pattern, _ requests: [Counts], result: Result<Publication, any Error>? = nil,
    scenario change: (inout Scenario) -> Void = { _ in }, record edit: (inout LedgerRecord) -> Void = { _ in }
  ) throws -> [String] {
    var scenario = Scenario(name: "test", pattern: pattern, photos: 2, payloadBytes: 16)
    scenario.service = .latency
    change(&scenario)
    let expectation = try Expectation(scenario: scenario, post: Self.post)
    let receipts = expectation.receipts
    var record = LedgerRecord(requests: requests, peakInFlight: 1)
    if expectation.ending == .publication { record.posts = [receipts] }
    edit(&record)
    let publication = Publication(postID: Self.post.id, receipts: receipts)
    return expectation.differences(result: result ?? .success(publication), record: record)
      .map(\.description)
  }

  @Test func `a media file needs a URL and an upload`() throws {
    #expect(try sentences(.presigned, [Self.once, Self.once, Self.once, Self.once]) == [])
    #expect(
      try sentences(.presigned, [Self.once, Self.once, Counts(), Self.once]) == [
        "media file 1, its URL: got never started, expected started 1, finished 1"
      ])
  }

  @Test func `the limit counts media files from their preparation on`() throws {
    let four = Array(repeating: Self.once, count: 4)
    let found = try sentences(.presigned, four, scenario: { $0.limit = 1 }, record: { $0.peakChains = 2 })
    #expect(found == ["media files from preparation to upload: got 2, expected at most 1"])
  }

  @Test(arguments: [(0, 2, nil), (0, 3, 2), (3, 4, nil), (3, 5, 4)] as [(Int, Int, Int?)])
  func `chunks in memory are bounded`(_ buffer: Int, _ chunks: Int, _ bound: Int?) throws {
    let differences = try sentences(.stream, [Self.once, Self.once]) {
      ($0.photos, $0.chunkBytes, $0.bufferCapacity, $0.uploaders) = (1, 8, buffer, 1)
    } record: {
      $0.peakChunks = chunks
    }
    #expect(differences == (bound.map { ["chunks in memory: got \(chunks), expected at most \($0)"] } ?? []))
  }

  @Test func `a race needs its primary and one arrival`() throws {
    let (idle, lost) = (Counts(), Counts(started: 1, cancelled: 1))
    #expect(try sentences(.race, [Self.once, idle, lost, Self.once]) == [])
    #expect(
      try sentences(.race, [idle, Self.once, lost, lost]) == [
        "media file 0, primary mirror: got never started, expected started 1",
        "media file 1, primary mirror: got started 1, cancelled 1, expected finished 1, at this mirror or the other",
      ])
  }

  /// The loser may still be in flight when the post is requested.
  @Test(arguments: [(2, 0), (1, 1)])
  func `a race is over with an answer for each media file`(answers: Int, problems: Int) throws {
    let requests = [Self.once, Counts(), Counts(started: 1, cancelled: 1), Self.once]
    #expect(try sentences(.race, requests, record: { $0.answersBeforePost = answers }).count == problems)
  }

  @Test func `a race without a hedge delay needs either mirror`() throws {
    let (idle, lost) = (Counts(), Counts(started: 1, cancelled: 1))
    let requests = [idle, Self.once, Self.once, idle]
    #expect(try sentences(.race, requests) { $0.hedgeDelay = .zero } == [])
    #expect(
      try sentences(.race, [idle, idle, lost, Self.once]) { $0.hedgeDelay = .zero } == [
        "media file 0, primary mirror: got never started, expected finished 1, at this mirror or the other"
      ])
  }

  @Test func `a race that both mirrors lose fails with both errors`() throws {
    let failed = Counts(started: 1, failed: 1)
    let failure = RaceFailure(mediaIndex: 0, primary: CancellationError(), secondary: CancellationError())
    let requests = [failed, failed, Counts(started: 1, cancelled: 1), Counts()]
    #expect(try sentences(.race, requests, result: .failure(failure)) { $0.faults.failAt = 0 } == [])
    #expect(
      try sentences(.race, requests, result: .failure(CancellationError())) { $0.faults.failAt = 0 } == [
        "result: got CancellationError(), expected the failure of media file 0"
      ])
  }

  @Test func `one failing mirror is no failure`() throws {
    let requests = [Counts(started: 1, failed: 1), Self.once, Self.once, Counts()]
    #expect(try sentences(.race, requests) { $0.faults = Faults(failAt: 0, mirror: .primary) } == [])
  }

  @Test func `transient failures are repeated`() throws {
    let faults = Faults(failAt: 1, kind: .transient, failingAttempts: 2)
    let third = Counts(started: 3, finished: 1, failed: 2)
    #expect(try sentences(.resilient, [Self.once, third]) { $0.faults = faults } == [])
    #expect(
      try sentences(.resilient, [Self.once, Counts(started: 2, finished: 1, failed: 1)]) {
        $0.faults = faults
      } == ["media file 1: got started 2, finished 1, failed 1, expected started 3"])
    #expect(
      try sentences(.resilient, [Self.once, Counts(started: 4, finished: 1, failed: 3)]) {
        $0.faults = faults
      } == ["media file 1: got started 4, finished 1, failed 3, expected started at most 3 times"])
  }

  @Test func `the last attempt decides`() throws {
    let failure = UploadFailure(mediaIndex: 1, reason: "", isTransient: true)
    let requests = [Counts(started: 1, cancelled: 1), Counts(started: 3, failed: 3)]
    #expect(
      try sentences(.resilient, requests, result: .failure(failure)) {
        $0.faults = Faults(failAt: 1, kind: .transient)
      } == [])
  }

  @Test(arguments: [Duration.zero, .milliseconds(15)])
  func `a job that cannot meet its deadline ends with it`(_ deadline: Duration) throws {
    #expect(
      try sentences(.resilient, [Counts(), Counts()], result: .failure(DeadlineExceeded())) {
        $0.retry.deadline = deadline
        $0.retry.attemptDeadline = .milliseconds(10)
        $0.faults = Faults(failAt: 0, kind: .silence, failingAttempts: 2)
      } == [])
  }
}
