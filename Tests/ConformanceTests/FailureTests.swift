import Testing
import UploadScenario

extension Conformance {
  @Suite struct FailureTests {
    @Test(arguments: Case.all, 0..<5)
    func theFirstFailureWinsAndStopsTheRest(_ subject: Case, _ failing: Int) async {
      let fanOut = subject.requests(5)
      guard failing < fanOut else { return }
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: fanOut), service, outcome)
      for index in 0..<failing {
        guard await eventually("upload \(index) starts", { service.inFlight.contains(index) }) else { return }
        service.answerUpload(index)
      }
      let expected = min(subject.width(fanOut), fanOut - failing)
      guard await eventually("\(expected) in flight", { service.inFlight.count == expected }) else { return }
      let started = service.started
      let others = Set(service.inFlight).subtracting([failing])
      service.answerUpload(failing, .failure(UploadFailure(mediaIndex: failing, reason: "first")))
      await eventually("the others in flight are cancelled") { others.isSubset(of: service.cancelled) }
      // One that fails on its own as well comes too late to be the reason.
      if let late = others.max() {
        service.answerUpload(late, .failure(UploadFailure(mediaIndex: late, reason: "second")))
      }
      await eventually("the completion is called") {
        service.answerCancelled()
        return outcome.count > 0
      }
      #expect(outcome.failure == UploadFailure(mediaIndex: failing, reason: "first"))
      #expect(service.started == started, "an upload started after the failure")
      #expect(service.posts.isEmpty)
      #expect(service.inFlightUncancelled.isEmpty)
      handle.cancel()
      service.answerCancelled()
      #expect(service.started == started)
      #expect(outcome.count == 1)
    }

    @Test(arguments: Case.all)
    func thoseInFlightAreCancelledBeforeTheCompletion(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      let post = subject.post(fanOut: 6)
      let left = Outcome()
      let handle = subject.contender.start(subject.scenario(fanOut: 6), post: post, service: service) {
        result in
        if !service.inFlightUncancelled.isEmpty { left.add(result) }
        outcome.add(result)
      }
      let width = subject.width(subject.requests(6))
      await eventually("\(width) in flight") { service.inFlight.count == width }
      service.answerUpload(0, .failure(UploadFailure(mediaIndex: 0, reason: "refused")))
      await eventually("the completion is called") {
        service.answerCancelled()
        return outcome.count > 0
      }
      #expect(outcome.failure?.mediaIndex == 0)
      #expect(left.count == 0)
      withExtendedLifetime(handle) {}
    }
  }
}
