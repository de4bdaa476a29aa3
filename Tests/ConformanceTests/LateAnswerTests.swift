import TestSupport
import Testing
import UploadScenario

@testable import Conformance

/// An answer and the end of an attempt's time may meet: on a busy machine the timer has fired, and its task has not run yet.
@Suite(.ownThread) struct LateAnswerTests {
  private let scenario = Scenario(name: "resilient", pattern: .resilient, photos: 1) {
    $0.retry.attemptDeadline = .milliseconds(3)
    ($0.retry.attempts, $0.retry.firstBackoff, $0.retry.longestBackoff) = (2, .zero, .zero)
  }

  private func model(answeredAt milliseconds: UInt64) -> Model {
    let post = Post.synthetic(photos: 1, videos: 0, payloadBytes: 1, seed: 1)
    var model = Model(scenario, post, receipts: [])
    model.started(at: 0)
    #expect(model.asked(0, of: nil, at: 0).isEmpty)
    model.answered(0, attempt: 1, .success(()), at: milliseconds * 1_000_000)
    return model
  }

  @Test(arguments: [(1, false), (4, true)] as [(UInt64, Bool)])
  func anAttemptMayHaveBeenGivenUpOnlyIfItsTimeWasOver(milliseconds: UInt64, mayHave: Bool) {
    var model = model(answeredAt: milliseconds)
    #expect(model.asked(0, of: nil, at: 5_000_000).isEmpty == mayHave)
    model.answered(0, attempt: 2, .success(()), at: (5 + milliseconds) * 1_000_000)
    let breaches = model.completed(.failure(AttemptTimedOut(mediaIndex: 0)), at: 10_000_000)
    #expect(breaches.isEmpty == mayHave)
  }
}
