import Testing
import UploadScenario

extension Conformance {
  @Suite struct CancellationTests {
    /// `done` uploads have arrived when the job is cancelled; with all five, the post may be under way or not.
    @Test(arguments: Case.all, 0...5)
    func cancellingStopsTheJobAtEveryPoint(_ subject: Case, _ done: Int) async {
      let fanOut = subject.requests(5)
      guard done <= fanOut else { return }
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: fanOut), service, outcome)
      for index in 0..<done {
        guard await eventually("upload \(index) starts", { service.inFlight.contains(index) }) else { return }
        service.answerUpload(index)
      }
      if done < fanOut {
        let expected = min(subject.width(fanOut), fanOut - done)
        guard await eventually("\(expected) in flight", { service.inFlight.count == expected }) else {
          return
        }
      }
      let started = service.started
      let inFlight = Set(service.inFlight)
      handle.cancel()
      handle.cancel()
      await eventually("the completion is called") {
        service.answerCancelled()
        return outcome.count > 0
      }
      #expect(outcome.isCancellation)
      #expect(service.started == started, "an upload started after the cancellation")
      #expect(inFlight.isSubset(of: service.cancelled))
      if done < fanOut { #expect(service.posts.isEmpty) }
      #expect(outcome.count == 1)
    }

    @Test(arguments: Case.uploads)
    func cancellingDuringThePostCancelsThePost(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: 0), service, outcome)
      await eventually("the post is asked for") { service.isPostInFlight }
      handle.cancel()
      await eventually("the post is cancelled") { service.isPostCancelled }
      await eventually("the completion is called") {
        service.answerCancelled()
        return outcome.count > 0
      }
      #expect(outcome.isCancellation)
      #expect(outcome.count == 1)
    }

    @Test(arguments: Case.uploads)
    func cancellingAfterTheEndDoesNothing(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: 1), service, outcome)
      await eventually("the upload starts") { service.inFlight == [0] }
      service.answerUpload(0)
      await eventually("the post is asked for") { service.isPostInFlight }
      service.answerPost()
      await eventually("the completion is called") { outcome.count > 0 }
      handle.cancel()
      #expect(outcome.publication != nil)
      #expect(outcome.count == 1)
      #expect(service.cancelled.isEmpty)
    }
  }
}
