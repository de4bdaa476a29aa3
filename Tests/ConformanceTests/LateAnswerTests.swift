import TestSupport
import Testing
import UploadScenario

@testable import Conformance

/// An answer and an attempt's deadline may coincide: on a busy machine the timer has fired, but its task has not run yet.
@Suite(.ownThread) struct LateAnswerTests {
  private let scenario = Scenario(name: "resilient", pattern: .resilient, photos: 1) {
    $0.retry.attemptDeadline = .milliseconds(3)
    ($0.retry.attempts, $0.retry.firstBackoff, $0.retry.longestBackoff) = (2, .zero, .zero)
  }

  private func model(_ scenario: Scenario? = nil, startedAt start: UInt64) -> Model {
    let post = Post.synthetic(photos: 1, videos: 0, payloadBytes: 1, seed: 1)
    var model = Model(scenario ?? self.scenario, post, receipts: [])
    model.started(at: start)
    return model
  }

  private func model(answeredAt milliseconds: UInt64) -> Model {
    var model = model(startedAt: 0)
    #expect(model.requested(0, of: nil, at: 0).isEmpty)
    model.answered(0, attempt: 1, .success(()), at: milliseconds * 1_000_000)
    return model
  }

  @Test(arguments: [(1, false), (4, true)] as [(UInt64, Bool)])
  func `an attempt may have been given up only after its time`(milliseconds: UInt64, mayHave: Bool) {
    var model = model(answeredAt: milliseconds)
    #expect(model.requested(0, of: nil, at: 5_000_000).isEmpty == mayHave)
    model.answered(0, attempt: 2, .success(()), at: (5 + milliseconds) * 1_000_000)
    let breaches = model.completed(.failure(AttemptTimedOut(mediaIndex: 0)), at: 10_000_000)
    #expect(breaches.isEmpty == mayHave)
  }

  /// The contender's thread may be descheduled between the kit's note of the answer and the contender's.
  @Test(arguments: [(2, 1), (5, 6)] as [(UInt64, Int)])
  func `giving up an attempt that was answered in time counts once or, after its time, when six runs show it`(
    milliseconds: UInt64, sightings: Int
  ) {
    var again = model(answeredAt: 1)
    #expect(again.requested(0, of: nil, at: milliseconds * 1_000_000).map(\.sightings) == [sightings])
    var ended = model(answeredAt: 1)
    let end = ended.completed(.failure(AttemptTimedOut(mediaIndex: 0)), at: milliseconds * 1_000_000)
    #expect(end.map(\.sightings) == [sightings])
  }

  /// The thread may be descheduled between starting the timer and making the request.
  @Test func `an attempt is timed from its earliest start`() {
    var model = model(startedAt: 1_000_000)
    func ends(_ attempt: Int, requestedAt: UInt64, cancelledAt: UInt64) -> Bool {
      #expect(model.requested(0, of: nil, at: requestedAt * 1_000_000).isEmpty)
      return model.cancelled(0, attempt: attempt, at: cancelledAt * 1_000_000).isEmpty
    }
    #expect(ends(1, requestedAt: 3, cancelledAt: 4))
    #expect(ends(2, requestedAt: 6, cancelledAt: 7))
    // At the earliest, the first attempt ended after 3 ms, and the second 3 ms later.
    #expect(model.completed(.failure(AttemptTimedOut(mediaIndex: 0)), at: 7_000_000).isEmpty)
  }

  @Test(arguments: [(1, 3, 3), (2, 4, 6)] as [(Int, UInt64, UInt64)])
  func `cancelling an attempt before its time breaks its deadline`(
    attempt: Int, requestedAt: UInt64, cancelledAt: UInt64
  ) {
    var model = model(startedAt: 1_000_000)
    if attempt == 2 {
      _ = model.requested(0, of: nil, at: 1_000_000)
      #expect(model.cancelled(0, attempt: 1, at: 4_000_000).isEmpty)
    }
    _ = model.requested(0, of: nil, at: requestedAt * 1_000_000)
    let breaches = model.cancelled(0, attempt: attempt, at: cancelledAt * 1_000_000)
    #expect(breaches.map(\.rule) == [.attemptDeadline])
  }

  /// If a late second mirror is a breach, the first one's start is part of an explored state.
  @Test(arguments: [(20, true), (14, false)])
  func `a long hedge is timed from the first mirror`(delay: Int, isTimed: Bool) {
    let scenario = Scenario(name: "race", pattern: .race, photos: 1) { $0.hedgeDelay = .milliseconds(delay) }
    func race(requestedAt milliseconds: UInt64) -> (rules: [Promise], hash: UInt64) {
      var model = model(scenario, startedAt: 0)
      #expect(model.requested(0, of: nil, at: milliseconds * 1_000_000).isEmpty)
      var hash = StateHash()
      model.add(to: &hash)
      return (model.requested(1, of: nil, at: 33_000_000).map(\.rule), hash.value)
    }
    let (early, late) = (race(requestedAt: 0), race(requestedAt: 2))
    #expect(early.rules == (isTimed ? [.hedge] : []) && late.rules == [])
    #expect((early.hash != late.hash) == isTimed)
  }

  @Test(arguments: [false, true])
  func `a second mirror that a thread was about to request when its race was won may follow a failure`(
    wasAsked: Bool
  ) {
    let scenario = Scenario(name: "race", pattern: .race, service: .latency, photos: 2) {
      $0.hedgeDelay = .zero
    }
    let post = scenario.syntheticPost
    var model = Model(scenario, post, receipts: [])
    func refusal(_ index: Int) -> Result<Void, any Error> {
      .failure(scenario.refusal(ofLedgerIndex: index, reason: "refused"))
    }
    var breaches = model.requested(0, of: post.media[0], at: 0)
    if wasAsked { breaches += model.requested(1, of: post.media[0], at: 0) }
    model.answered(0, attempt: 1, .success(()), at: 0)
    if wasAsked { breaches += model.cancelled(1, attempt: 1, at: 0) }
    for index in 2...3 { breaches += model.requested(index, of: post.media[1], at: 0) }
    model.quiet()
    model.answered(2, attempt: 1, refusal(2), at: 0)
    model.quiet()
    model.answered(3, attempt: 1, refusal(3), at: 0)
    #expect(breaches.map(\.text) == [])
    // If it was requested, all uploads have begun, and none may follow.
    let late = model.requested(1, of: post.media[0], at: 0)
    #expect(late.contains { $0.rule == .noStartAfterFailure } == wasAsked)
  }
}
