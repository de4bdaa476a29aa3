import Synchronization
import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct ScenarioProblemTests {
  typealias Change = @Sendable (inout Scenario) -> Void

  static func scenario(_ pattern: Pattern, _ change: Change) -> Scenario {
    var scenario = Scenario(name: "test", pattern: pattern, photos: pattern == .stream ? 1 : 3)
    change(&scenario)
    return scenario
  }

  static let senseless: [(Pattern, String, Change)] = [
    (.publish, "a limit of 0 in flight allows no upload: give 1 or more, or no limit", { $0.limit = 0 }),
    (.publish, "a post can have at most 1000000 media files, not 1000001", { $0.photos = 1_000_001 }),
    (.publish, "the instant service cannot hold its answers: use latency", { $0.holdsAnswers = true }),
    (
      .publish, "failing and cancelled posts may never have all uploads in flight: do not hold their answers",
      { ($0.service, $0.holdsAnswers, $0.faults) = (.latency, true, Faults(failAt: 1)) }
    ),
    (.publish, "a post cannot have -1 media files: give 0 or more", { $0.videos = -1 }),
    (
      .presigned, "a media file cannot be read -1 times to prepare it: give 0 or more",
      { $0.preparePasses = -1 }
    ),
    (.publish, "0 posts cannot be in flight at once: give 1 to 1000", { $0.overlap = 0 }),
    (
      .publish,
      "1000 posts of 1001 uploads at once are more than 1000000 uploads: use fewer posts or uploads",
      { ($0.overlap, $0.photos, $0.videos) = (1_000, 1_001, 0) }
    ),
    (
      .presigned, "a post cannot both overlap with others and start behind them: leave out overlap or behind",
      { ($0.overlap, $0.behind) = (2, 5) }
    ),
    (
      .publish,
      "failing and cancelled posts cannot overlap: leave out overlap, or the failure or cancellation",
      { ($0.overlap, $0.faults.failAt) = (2, 0) }
    ),
    (.presigned, "a post cannot start behind -1 others: give 0 or more", { $0.behind = -1 }),
    (.presigned, "a post can start behind at most 100000 others, not 100001", { $0.behind = 100_001 }),
    (
      .presigned, "a post without media files cannot wait behind others: give it one or more",
      { ($0.behind, $0.photos) = (5, 0) }
    ),
    (
      .presigned, "the file service has its own queues, which ignore priorities: use instant or latency",
      { ($0.behind, $0.service) = (5, .file) }
    ),
    (.publish, "publish ignores priorities and earlier posts: use presigned", { $0.behind = 5 }),
    (
      .stream, "stream ignores priorities and earlier posts: use presigned",
      { $0.priority = .low }
    ),
    (.stream, "a buffer cannot hold -1 chunks: give 0 or more", { $0.bufferCapacity = -1 }),
    (.stream, "0 uploaders upload nothing: give 1 or more", { $0.uploaders = 0 }),
    (.stream, "the size of a chunk must be a multiple of 8 bytes, not 12", { $0.chunkBytes = 12 }),
    (
      .stream, "a stream has at most 1000000 chunks, not 1000001: use larger chunks",
      { ($0.chunkBytes, $0.payloadBytes) = (8, 8_000_001) }
    ),
    (.stream, "a stream uploads one media file, not 2", { $0.videos = 1 }),
    (.stream, "the file service cannot receive chunks: use instant or latency", { $0.service = .file }),
    (
      .race, "a hedge delay of -1.0 seconds is negative: give 0 or more",
      { $0.hedgeDelay = .seconds(-1) }
    ),
    (.resilient, "0 attempts start nothing: give 1 or more", { $0.retry.attempts = 0 }),
    (
      .resilient, "a backoff of -1.0 seconds is negative: give 0 or more",
      { $0.retry.firstBackoff = .seconds(-1) }
    ),
    (
      .publish, "the blocking service is only for the blocking pattern: use another service or pattern",
      { $0.service = .blocking }
    ),
    (
      .blocking, "the calls of the latency service do not block: use the blocking service",
      { $0.service = .latency }
    ),
  ]

  @Test(arguments: senseless) func `an impossible scenario says what is wrong`(
    _ pattern: Pattern, _ reason: String, _ change: Change
  ) {
    #expect(Self.scenario(pattern, change).problem?.reason == reason)
  }

  static let unusual: [(Pattern, Change)] = [
    (.publish, { $0.limit = 1_000 }), (.publish, { $0.photos = 0 }), (.stream, { $0.bufferCapacity = 0 }),
    (.race, { $0.hedgeDelay = .zero }), (.resilient, { $0.retry.deadline = .seconds(-1) }),
    (.resilient, { $0.retry.attemptDeadline = .zero }), (.presigned, { $0.preparePasses = 0 }),
    (.blocking, { $0.service = .blocking }), (.presigned, { $0.behind = 100_000 }),
    (.publish, { $0.overlap = 1_000 }),
    (.presigned, { $0.priority = .low }),
  ]

  @Test(arguments: unusual) func `an unusual scenario is valid`(_ pattern: Pattern, _ change: Change) {
    #expect(Self.scenario(pattern, change).problem == nil)
  }

  private struct Idle: PartialContender {
    let name = "idle"
    let summary = "does nothing"
    let patterns: [Pattern] = []
  }

  private func answer(to scenario: Scenario) -> String {
    let answer = Mutex<[String]>([])
    let post = Post.synthetic(photos: 3, videos: 0, payloadBytes: 8, seed: 1)
    let handle = Idle().start(scenario, post: post, service: AnsweringService()) { result in
      if case .failure(let error) = result { answer.withLock { $0.append("\(error)") } }
    }
    handle.cancel()
    return answer.withLock { $0.joined(separator: "; ") }
  }

  @Test func `an impossible scenario fails and starts nothing`() {
    #expect(
      answer(to: Self.scenario(.resilient) { $0.retry.attempts = 0 })
        == "0 attempts start nothing: give 1 or more")
  }

  @Test(arguments: Pattern.allCases) func `a missing pattern is reported`(_ pattern: Pattern) {
    let scenario = Self.scenario(pattern) { if pattern == .blocking { $0.service = .blocking } }
    #expect(answer(to: scenario) == "idle does not implement this pattern")
  }
}
