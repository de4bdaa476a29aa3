import Harness
import Results
import TestSupport
import Testing
import UploadScenario
import UploadServices

/// What says what the service costs must ask it for everything that a contender asks it for.
@Suite(.ownThread) struct ServiceDriverTests {
  @Test(
    arguments: [
      "publish-instant-0", "publish-instant-1", "publish-instant-100", "publish-instant-1000-limit-8",
      "sequence-instant-100", "zip-instant-3", "publish-instant-10-overlap-16", "publish-instant-10-on-queue",
    ])
  func `the driver makes every request that a contender makes`(name: String) throws {
    let scenario = try #require(Catalog.scenario(named: name))
    #expect(scenario.hasServiceDriver)
    let worker = UploadWorker(
      UploadSetup(ServiceDriver()) { try makeServices(for: $0, post: $1, ledgers: $2) })
    let reply = try worker.run(SampleRequest(scenario: scenario, iterations: 3, unmeasured: 3))
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(reply.uploads?.posts == 3)
  }

  @Test(arguments: ["race-instant-100", "stream-instant-1000", "publish-latency-100", "failure-latency-100"])
  func `scenarios that measure something else have no driver`(name: String) throws {
    let scenario = try #require(Catalog.scenario(named: name))
    #expect(!scenario.hasServiceDriver)
  }
}
