import Conformance
import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread(minutes: 10)) struct MutantTests {
  @Test(arguments: Pattern.allCases, [false, true])
  func `contenders without a flaw break no rule`(_ pattern: Pattern, isFirstLook: Bool) async {
    #expect(await violations(of: HonestUploads(), in: [pattern], isFirstLook: isFirstLook) == [])
  }

  /// `nil`: which rule is named depends on how far the contender's threads came before the play ended.
  @Test(
    arguments: [
      (.postsAfterAFailure, .publish, "no-post-after-failure"),
      (.startsAfterAFailure, .sequence, "no-start-after-failure"),
      (.completesTwice, .zip, "exactly-once"), (.swallowsCancel, .zipSerial, "cancellation"),
      (.guessesTheURL, .presigned, "its-own-url"), (.readsTheWholeMedia, .stream, "bounded-chunks"),
      (.losesWithOneMirror, .race, "one-mirror-fails"), (.neverRetries, .resilient, nil),
      (.beatsInParallel, .blocking, "beats-do-not-overlap"),
    ] as [(Flaw, Pattern, String?)])
  func `a first look finds most flaws`(_ flaw: Flaw, _ pattern: Pattern, _ rule: String?) async {
    let violations = await violations(
      of: HonestUploads(flaw: flaw), in: [pattern], patience: .milliseconds(500), isFirstLook: true)
    #expect(violations.contains { rule == nil || $0.rule == rule }, "\(violations)")
  }

  static let rules: [(flaw: Flaw, pattern: Pattern, rule: String)] = [
    (.forgetsOneArrival, .publish, "ends"), (.keepsOrderOfArrival, .publish, "order"),
    (.keepsOrderOfArrival, .stream, "order"), (.cancelsNothing, .publish, "in-flight-cancelled"),
    (.postsAfterAFailure, .publish, "no-post-after-failure"), (.completesTwice, .publish, "exactly-once"),
    (.leaksOnCancel, .publish, "nothing-left"), (.exceedsTheLimitByOne, .publish, "limit"),
    (.exceedsTheLimitByOne, .sequence, "limit"), (.exceedsTheLimitByOne, .stream, "limit"),
    (.startsAfterAFailure, .sequence, "no-start-after-failure"), (.swallowsCancel, .publish, "cancellation"),
    (.ignoresARefusedPost, .publish, "refused-post"), (.retriesRefusals, .resilient, "refusals"),
    (.triesOnceTooOften, .resilient, "attempts"), (.neverRetries, .resilient, "attempts"),
    (.ignoresTheAttemptDeadline, .resilient, "attempt-deadline"),
    (.ignoresTheDeadline, .resilient, "deadline"), (.skipsTheBackoff, .resilient, "backoff"),
    (.reportsTheFirstError, .resilient, "last-error"), (.keepsTheLoser, .race, "loser-cancelled"),
    (.startsTheSecondAtOnce, .race, "hedge"), (.losesWithOneMirror, .race, "one-mirror-fails"),
    (.namesOneMirror, .race, "both-mirrors-fail"), (.readsTheWholeMedia, .stream, "bounded-chunks"),
    (.preparesOutsideTheLimit, .presigned, "limit-covers-preparation"),
    (.preparesOnTheCaller, .presigned, "prepares-off-the-caller"),
    (.preparesTheUrgentOnTheCaller, .presigned, "prepares-off-the-caller"),
    (.overfillsWhatCanWait, .presigned, "limit"),
    (.readsOnTheCaller, .stream, "reads-off-the-caller"), (.guessesTheURL, .presigned, "its-own-url"),
    (.leaksTheTimer, .race, "nothing-left"), (.completesBeforeCancelling, .publish, "in-flight-cancelled"),
    (.postsEarly, .publish, "post-last"), (.uploadsTwice, .publish, "every-upload"),
    (.oneAfterAnother, .publish, "limit-used"), (.diesWithItsHandle, .publish, "without-handle"),
    (.keepsThePost, .publish, "cancelled-post"), (.leavesTheProducerWaiting, .stream, "nothing-left"),
    (.beatsOn, .blocking, "beats-stop"), (.beatsInParallel, .blocking, "beats-do-not-overlap"),
    (.neverBeats, .blocking, "beats"), (.beatsSlowly, .blocking, "beats"),
    (.preparesTwice, .presigned, "every-upload"), (.usesWhatWasAbandoned, .presigned, "abandoned-work"),
    (.locksAllPosts, .publish, "begun-within"), (.waitsAfterTheLastAttempt, .resilient, "last-error"),
    (.hedgesUntilTheLastIsTaken, .race, "hedge"), (.locksWhilePreparing, .presigned, "reentrancy"),
    (.locksItsCancel, .publish, "reentrancy"), (.exceedsALimitOf47, .publish, "limit"),
    (.cancelsFortyFirst, .publish, "in-flight-cancelled"),
    (.cancelsLateAfterAFailedRead, .stream, "in-flight-cancelled"),
    (.forgetsThePostAtTheDeadline, .resilient, "in-flight-cancelled"),
    (.countsLateFailures, .resilient, "attempt-deadline"),
    (.blocksOnceMore, .blocking, "no-start-after-failure"), (.beatsOnceMore, .blocking, "beats-stop"),
  ]

  @Test func `the consequences of a breach are no further breaches`() async {
    // Without the hundred posts at once, which other tests' threads delay.
    let violations = await violations(
      of: HonestUploads(flaw: .guessesTheURL), in: [.presigned],
      rules: Rule.all.filter { $0.name != "many-posts" })
    #expect(violations.map(\.rule) == ["its-own-url"], "\(violations)")
  }

  /// The rules under which flaws of other rules are found.
  static let triedUnder: [Flaw: String] = [
    // Only during a preparation can a cancellation deadlock.
    .locksWhilePreparing: "abandoned-work",
    .cancelsLateAfterAFailedRead: "failed-read", .forgetsThePostAtTheDeadline: "deadline",
  ]

  @Test func `each flaw is tried`() { #expect(Set(Self.rules.map(\.flaw)) == Set(Flaw.allCases)) }

  @Test(arguments: rules)
  func `each flaw is caught by the rule for it`(_ flaw: Flaw, _ pattern: Pattern, _ rule: String) async {
    let tried = Self.triedUnder[flaw] ?? rule
    // A short timeout, since some hang on purpose.
    let violations = await violations(
      of: HonestUploads(flaw: flaw), in: [pattern], rules: Rule.all.filter { $0.name == tried },
      patience: .milliseconds(500), plays: 16)
    // A rule and its more special form, as the threads come.
    #expect(violations.contains { $0.rule.hasPrefix(rule) }, "\(violations)")
  }
}
