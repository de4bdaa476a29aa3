import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct ShortestPostTests {
  private final class Sampler: WorkerHandle {
    private var times: [UInt64]
    private(set) var isStopped = false

    init(times: [UInt64]) { self.times = times }

    func launch(_ contender: String) throws(WorkerFailure) -> any WorkerHandle<SampleRequest<Scenario>> {
      self
    }

    func run(_ request: SampleRequest<Scenario>, timeout: WorkerTimeout) throws(WorkerFailure) -> SampleReply
    {
      guard !times.isEmpty else { throw .silent(seconds: 1) }
      var reply = SampleReply(outcome: .measured, iterations: request.iterations)
      reply.wallNanoseconds = times.removeFirst() * UInt64(request.iterations)
      return reply
    }

    func stop() { isStopped = true }
  }

  @Test func `the shortest post is the fastest sample of the smallest scenario`() {
    let sampler = Sampler(times: [90, 40, 30, 35, 31, 60, 33, 32])
    #expect(
      DoctorReadings.ShortestPost.measured(of: Named("a"), by: sampler.launch)
        == DoctorReadings.ShortestPost(scenario: "publish-instant-0", wallNanoseconds: 30))
    #expect(sampler.isStopped)
  }

  @Test func `a contender of other patterns has the shortest of those`() {
    let sampler = Sampler(times: [90])
    let post = DoctorReadings.ShortestPost.measured(of: Named("a", [.zip]), by: sampler.launch)
    #expect(post == DoctorReadings.ShortestPost(scenario: "zip-instant-3", wallNanoseconds: 90))
  }

  @Test func `a post that cannot be measured is unknown`() {
    #expect(DoctorReadings.ShortestPost.measured(of: Named("a"), by: Sampler(times: []).launch) == nil)
  }
}
