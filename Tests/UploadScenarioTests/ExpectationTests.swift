import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct ExpectationTests {
  static let post = Post.synthetic(photos: 2, videos: 1, payloadBytes: 10, seed: 3)
  static let receipts = post.media.map(\.expectedReceipt)
  static let whole = LedgerRecord(
    requests: Array(repeating: .init(started: 1, finished: 1), count: 3), peakInFlight: 2, posts: [receipts])
  static let publication = Publication(postID: post.id, receipts: receipts)

  private func sentences(
    _ result: Result<Publication, any Error> = .success(publication), limit: Int? = 2,
    pattern: Pattern = .publish, failAt: Int? = nil, cancelled: Bool = false,
    change: (inout LedgerRecord) -> Void = { _ in }
  ) -> [String] {
    let scenario = Scenario(name: "test", pattern: pattern, photos: 2, videos: 1, limit: limit) {
      $0.faults.failAt = failAt
      $0.cancelAfter = cancelled ? .nanoseconds(1) : nil
    }
    var record = Self.whole
    change(&record)
    return try! Expectation(scenario: scenario, post: Self.post)
      .differences(result: result, record: record).map(\.description)
  }

  @Test func `an honest record has no difference`() { #expect(sentences() == []) }

  @Test func `a wrong result is named`() {
    #expect(
      sentences(.failure(UploadFailure(mediaIndex: 1, reason: "x")))
        == ["result: got the failure of media file 1, expected a publication"])
    #expect(
      sentences(.success(Publication(postID: 0, receipts: Self.receipts)))
        == ["post: got id 0, expected id \(Self.post.id)"])
    #expect(
      sentences(failAt: 1) { $0.posts = [] }
        == ["result: got a publication of 3 receipts, expected the failure of media file 1"])
    #expect(
      sentences(cancelled: true) { $0.posts = [] }
        == ["result: got a publication of 3 receipts, expected CancellationError"])
  }

  @Test func `receipts out of order are named once`() {
    let swapped = [Self.receipts[1], Self.receipts[0], Self.receipts[2]]
    func name(_ receipt: Receipt) -> String {
      "media file \(receipt.mediaIndex), 10 bytes, checksum \(String(receipt.checksum, radix: 16))"
    }
    let (first, second) = (name(Self.receipts[0]), name(Self.receipts[1]))
    #expect(
      sentences(.success(Publication(postID: Self.post.id, receipts: swapped)))
        == ["publication, receipt 0: got \(second), expected \(first)"])
    #expect(sentences { $0.posts = [swapped] } == ["createPost, receipt 0: got \(second), expected \(first)"])
    #expect(sentences { $0.posts = [[]] } == ["createPost: got 0 receipts, expected 3 receipts"])
  }

  @Test func `uploads that differ are named`() {
    #expect(
      sentences { $0.requests[2] = .init() }
        == ["media file 2: got never started, expected started 1, finished 1"])
    #expect(
      sentences(.failure(UploadFailure(mediaIndex: 1, reason: "")), failAt: 1) {
        $0.posts = []
        $0.requests[0] = .init(started: 2, finished: 2)
        $0.requests[2] = .init(started: 1)
      } == [
        "media file 0: got started 2, finished 2, expected started at most once",
        "media file 2: got started 1, expected as many ends as starts",
      ])
  }

  @Test func `posts that differ are named`() {
    #expect(sentences { $0.posts = [] } == ["post: got created 0 times, expected created once"])
    #expect(
      sentences(.failure(CancellationError()), cancelled: true)
        == ["post: got created 1 times, expected not created"])
  }

  @Test func `an early post is named`() {
    #expect(
      sentences {
        $0.answersBeforePost = 3
        $0.postsBeforeCompletion = 1
      } == [])
    #expect(
      sentences { $0.answersBeforePost = 2 } == [
        "post: got requested after 2 answers, expected after 3 answers"
      ])
    #expect(
      sentences { $0.postsBeforeCompletion = 0 } == [
        "completion: got called before the post was created, expected after it"
      ])
    // A failed job completes without a post.
    #expect(
      sentences(.failure(UploadFailure(mediaIndex: 1, reason: "x")), failAt: 1) {
        $0.requests[1] = .init(started: 1, failed: 1)
        $0.posts = []
        $0.postsBeforeCompletion = 0
      } == [])
  }

  @Test func `broken bounds are named`() {
    #expect(
      sentences {
        ($0.peakInFlight, $0.startsAfterCompletion, $0.strayStarts, $0.inFlight) = (3, 1, 2, 4)
      } == [
        "uploads in flight: got 3, expected at most 2",
        "uploads started after the completion: got 1, expected 0",
        "uploads that the post does not need: got 2, expected 0",
        "uploads left in flight: got 4, expected 0",
      ])
    #expect(sentences(pattern: .sequence) == ["uploads in flight: got 2, expected at most 1"])
  }

  @Test func `lookups are named by their detail`() {
    let lookups = LedgerRecord(
      requests: [.init(started: 1, finished: 1), .init(), .init(started: 2, finished: 2)], peakInFlight: 4,
      posts: [[]])
    let scenario = Scenario(name: "test", pattern: .zip, photos: 0)
    let differences = try! Expectation(scenario: scenario, post: Self.post).differences(
      result: .success(Publication(postID: Self.post.id, receipts: [])), record: lookups)
    #expect(
      differences.map(\.description) == [
        "place: got never started, expected started 1, finished 1",
        "audience: got started 2, finished 2, expected started 1, finished 1",
        "lookups in flight: got 4, expected at most 3",
      ])
  }

  @Test func `a lookup fails by its own name`() {
    let scenario = Scenario(name: "test", pattern: .zip, photos: 0) { $0.faults.failAt = 1 }
    let record = LedgerRecord(
      requests: [
        .init(started: 1, finished: 1), .init(started: 1, failed: 1), .init(started: 1, cancelled: 1),
      ],
      peakInFlight: 3)
    func sentences(_ detail: PostDetail) -> [String] {
      try! Expectation(scenario: scenario, post: Self.post).differences(
        result: .failure(LookupFailure(detail: detail, reason: "x")), record: record
      ).map(\.description)
    }
    #expect(sentences(.place) == [])
    #expect(sentences(.author) == ["result: got the failure of author, expected the failure of place"])
  }

  @Test func `an expectation takes another ending`() throws {
    let scenario = Scenario(name: "test", photos: 2, videos: 1)
    func differences(_ ending: UploadScenario.Expectation.Ending, _ failing: Set<Int> = []) throws
      -> [UploadScenario.Expectation.Aspect]
    {
      try Expectation(scenario: scenario, post: Self.post, ending: ending, failing: failing).differences(
        result: .failure(UploadFailure(mediaIndex: 1, reason: "x")),
        record: LedgerRecord(
          requests: [.init(), .init(started: 1, failed: 1), .init(started: 1)], peakInFlight: 2
        ) { $0.inFlight = 1 }
      ).map(\.aspect)
    }
    #expect(try differences(.failure, [1]) == [.requests, .leftInFlight])
    #expect(try differences(.failure, [0]) == [.result, .requests, .leftInFlight])
    #expect(try differences(.cancellation) == [.result, .requests, .leftInFlight])
  }
}
