import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct PostRunTests {
  @Test func theCompletionIsLetGoWhenItsLastHolderIsGoneAndNotWhenItIsCalled() {
    let clock = FakeClock().clock
    let run = PostRun(clock: clock, ledger: Ledger(requestCount: 0, nanoseconds: clock.nanoseconds))
    var holder: Completion? = run.makeCompletion()
    holder?(.failure(CancellationError()))
    #expect(run.letGoNanoseconds == nil)
    let before = clock.nanoseconds()
    holder = nil
    #expect(run.letGoNanoseconds ?? 0 > before)
    #expect(run.ending?.nanoseconds ?? .max < before)
  }
}
