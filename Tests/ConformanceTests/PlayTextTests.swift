import TestSupport
import Testing
import UploadScenario

@testable import Conformance

/// The words in which a violation describes its play.
@Suite(.ownThread) struct PlayTextTests {
  @Test(
    arguments: [
      (.seconds(3600), "3,600 s"), (.nanoseconds(3_599_999_944_000), "3,600 s"), (.milliseconds(10), "10 ms"),
      (.microseconds(2_900), "2.9 ms"), (.microseconds(40), "40 µs"), (.seconds(1.5), "1.5 s"),
      (.zero, "0 ms"), (.seconds(-1), "-1 s"),
    ] as [(Duration, String)])
  func `a time has one fitting unit`(_ time: Duration, _ text: String) { #expect(time.text == text) }

  @Test func `two times share one unit`() {
    #expect(Duration.milliseconds(4).text(to: .milliseconds(9)) == "4 to 9 ms")
    #expect(Duration.milliseconds(120).text(to: .seconds(1)) == "120 to 1,000 ms")
    #expect(Duration.seconds(3600).text(to: .seconds(3600)) == "3,600 s")
  }

  private func play(_ pattern: Pattern, _ change: (inout Play) -> Void) -> String {
    // The first sweep of every pattern has three media files.
    var play = Play.sweep(of: .reentrancy, pattern, seed: 1, mostUploads: 9)[0]
    (play.cancelsAtTheEnd, play.mostAtOnce) = (false, 1)
    change(&play)
    return play.text
  }

  @Test func `what has no effect is left out`() {
    #expect(
      play(.publish) { ($0.late, $0.endsBeforeCancelReturns, $0.isLateAfterTheEnd) = (.fails, true, true) }
        == "3 uploads")
    #expect(play(.race) { $0.scenario.hedgeDelay = .zero } == "3 uploads")
    #expect(play(.resilient) { ($0.scenario.retry.attempts, $0.transient) = (1, 0.5) } == "3 uploads")
  }

  @Test func `refusals are described`() {
    #expect(play(.publish) { $0.refused = [2: 1] } == "3 uploads, media file 2 refused")
    #expect(
      play(.resilient) { ($0.refused, $0.refusedAfter, $0.scenario.retry.attempts) = ([1: 2], 1, 2) }
        == "3 uploads, up to 2 attempts, media file 1 refused permanently at attempt 2, once 1 other succeeded"
    )
    #expect(play(.presigned) { $0.refused = [0: 2] } == "3 uploads, media file 0 refused its URL")
    #expect("\(UploadFailure.ofPost())" == "the post: refused")
  }
}
