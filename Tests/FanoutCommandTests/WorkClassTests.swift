import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct WorkClassTests {
  @Test(
    arguments: [
      ("publish-instant-10000", .nothingWaits), ("race-instant-100", .nothingWaits),
      ("publish-instant-1000-limit-8", .limited), ("sequence-instant-100", .limited),
      ("stream-instant-1000", .limited), ("publish-latency-100-limit-10", .uploadsWait),
      ("zip-serial-latency-3", .uploadsWait), ("resilient-latency-100", .uploadsWait),
      ("blocking-64-limit-8", .blocking), ("failure-latency-100", .failing),
      ("cancel-latency-100", .failing), ("presigned-instant-64-prepare-20us", .computing),
      ("presigned-instant-64-behind-10000", .other),
    ] as [(String, ScenarioClass)])
  func `a scenario's data decide its class`(name: String, workClass: ScenarioClass) throws {
    #expect(try #require(Catalog.scenario(named: name)).workClass == workClass)
  }

  @Test(arguments: [ScenarioClass.uploadsWait, .nothingWaits, .limited, .computing, .blocking, .failing])
  func `a default run has two to four scenarios of each class`(workClass: ScenarioClass) {
    #expect((2...4).contains(Catalog.standard.count { $0.workClass == workClass }))
  }
}
