import Testing
import UploadScenario

extension Conformance {
  @Suite struct SuccessTests {
    @Test(arguments: Case.all, CompletionOrder.allCases)
    func receiptsKeepThePostsOrderAndTheLimitIsKeptAndUsed(_ subject: Case, _ order: CompletionOrder) async {
      for fanOut in Set([1, 2, 7].map(subject.requests)).sorted() {
        let post = subject.post(fanOut: fanOut)
        let service = ManualService()
        let outcome = Outcome()
        var generator = SeededGenerator(seed: 7)
        let handle = subject.start(post, service, outcome)
        for done in 0..<fanOut {
          let expected = min(subject.width(fanOut), fanOut - done)
          guard await eventually("\(expected) uploads in flight", { service.inFlight.count == expected })
          else { return }
          #expect(service.posts.isEmpty)
          #expect(outcome.count == 0)
          let inFlight = service.inFlight
          let next =
            switch order {
            case .forward: inFlight[0]
            case .reverse: inFlight[inFlight.count - 1]
            case .shuffled: inFlight.randomElement(using: &generator)!
            }
          service.answerUpload(next)
        }
        guard await eventually("the post is asked for", { service.isPostInFlight }) else { return }
        #expect(outcome.count == 0)
        service.answerPost()
        await eventually("the completion is called") { outcome.count > 0 }
        let publication = subject.publication(of: post)
        #expect(outcome.publication == publication)
        #expect(service.posts == [publication.receipts])
        #expect(service.started.sorted() == Array(0..<fanOut))
        #expect(service.peakInFlight == subject.width(fanOut))
        #expect(service.cancelled.isEmpty)
        #expect(outcome.count == 1)
        withExtendedLifetime(handle) {}
      }
    }

    @Test(arguments: Case.uploads)
    func aPostWithoutMediaGoesStraightToTheService(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: 0), service, outcome)
      await eventually("the post is asked for") { service.isPostInFlight }
      service.answerPost()
      await eventually("the completion is called") { outcome.count > 0 }
      #expect(outcome.publication?.receipts == [])
      #expect(service.posts == [[]])
      #expect(service.started == [])
      #expect(outcome.count == 1)
      withExtendedLifetime(handle) {}
    }

    @Test(arguments: Case.uploads)
    func aRefusedPostIsTheResult(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      let handle = subject.start(subject.post(fanOut: 0), service, outcome)
      await eventually("the post is asked for") { service.isPostInFlight }
      service.answerPost(.failure(UploadFailure(mediaIndex: -1, reason: "post refused")))
      await eventually("the completion is called") { outcome.count > 0 }
      #expect(outcome.failure?.reason == "post refused")
      #expect(outcome.count == 1)
      withExtendedLifetime(handle) {}
    }

    @Test(arguments: Case.uploads)
    func theJobGoesOnWithoutItsHandle(_ subject: Case) async {
      let service = ManualService()
      let outcome = Outcome()
      _ = subject.start(subject.post(fanOut: 1), service, outcome)
      await eventually("the upload starts") { service.inFlight == [0] }
      service.answerUpload(0)
      await eventually("the post is asked for") { service.isPostInFlight }
      service.answerPost()
      await eventually("the completion is called") { outcome.publication != nil }
    }
  }
}
