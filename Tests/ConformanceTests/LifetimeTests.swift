import Synchronization
import Testing
import UploadScenario

extension Conformance {
  @Suite struct LifetimeTests {
    static let fanOut = 4

    enum Ending: CaseIterable, Sendable { case published, failed, cancelled }

    final class Token: Sendable {}

    /// Holds weakly what must be gone.
    final class Traces: Sendable {
      private struct References {
        weak var token: Token?
        weak var service: ManualService?
      }

      private let references = Mutex(References())

      func watch(_ token: Token, _ service: ManualService) {
        references.withLock { $0 = References(token: token, service: service) }
      }

      var isTokenGone: Bool { references.withLock { $0.token == nil } }
      var isServiceGone: Bool { references.withLock { $0.service == nil } }
    }

    @Test(arguments: Case.all, Ending.allCases)
    func nothingIsLeftOnceTheJobHasEnded(_ subject: Case, _ ending: Ending) async {
      let traces = Traces()
      var handle: (any Cancellable)? = await run(subject, ending, traces)
      await eventually("the completion is let go while the handle is held") { traces.isTokenGone }
      withExtendedLifetime(handle) {}
      handle = nil
      let what: Comment = "the service is let go with the handle"
      if ending == .failed, !subject.pattern.looksUp, subject.width(Self.fanOut) < Self.fanOut,
        let reason = subject.reasonToBreak(.failureLetsGoOfWaitingUploads)
      {
        await withKnownIssue(reason) {
          await eventually(what, withinNanoseconds: 1_000_000_000) { traces.isServiceGone }
        }
      } else {
        await eventually(what) { traces.isServiceGone }
      }
    }

    private func run(_ subject: Case, _ ending: Ending, _ traces: Traces) async -> any Cancellable {
      let service = ManualService()
      let token = Token()
      traces.watch(token, service)
      let outcome = Outcome()
      let post = subject.post(fanOut: Self.fanOut)
      let scenario = subject.scenario(fanOut: Self.fanOut)
      let handle = subject.contender.start(scenario, post: post, service: service) { [token] result in
        withExtendedLifetime(token) { outcome.add(result) }
      }
      await eventually("uploads start") { service.inFlight.contains(0) }
      switch ending {
      case .published: break
      case .failed: service.answerUpload(0, .failure(UploadFailure(mediaIndex: 0, reason: "refused")))
      case .cancelled: handle.cancel()
      }
      await eventually("the completion is called") {
        service.answerCancelled()
        if ending == .published {
          for index in service.inFlight { service.answerUpload(index) }
          service.answerPost()
        }
        return outcome.count > 0
      }
      await eventually("cancelled uploads are answered") {
        service.answerCancelled()
        return service.inFlight.isEmpty
      }
      return handle
    }
  }
}
