import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct RetryPolicyTests {
  static let media = Post.synthetic(photos: 40, videos: 0, payloadBytes: 8, seed: 7).media
  static let policy = RetryPolicy(firstBackoff: .milliseconds(8), longestBackoff: .milliseconds(20), seed: 3)

  @Test(arguments: [(1, 8), (2, 16), (3, 20), (50, 20)] as [(Int, Int)])
  func `waits grow to the longest, with a jitter of a half`(_ attempt: Int, _ whole: Int) {
    let waits = Self.media.map { Self.policy.backoff(afterAttempt: attempt, of: $0) }
    #expect(waits.allSatisfy { $0 >= .milliseconds(whole) / 2 && $0 <= .milliseconds(whole) })
    #expect(Set(waits).count > 30)
  }

  @Test func `the seed decides the waits`() {
    func wait(_ policy: RetryPolicy) -> Duration { policy.backoff(afterAttempt: 2, of: Self.media[3]) }
    var other = Self.policy
    #expect(wait(other) == wait(Self.policy))
    other.seed = 4
    #expect(wait(other) != wait(Self.policy))
  }

  @Test func `only transient errors are retried`() {
    #expect(RetryPolicy.isTransient(UploadFailure(mediaIndex: 0, reason: "", isTransient: true)))
    #expect(RetryPolicy.isTransient(AttemptTimedOut(mediaIndex: 0)))
    #expect(!RetryPolicy.isTransient(UploadFailure(mediaIndex: 0, reason: "")))
    #expect(!RetryPolicy.isTransient(DeadlineExceeded()))
    #expect(!RetryPolicy.isTransient(CancellationError()))
  }
}
