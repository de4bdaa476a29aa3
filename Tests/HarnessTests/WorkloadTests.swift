import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct WorkloadTests {
  @Test func aScenarioIsDefinedByItsDataAndNotByWhereItsFilesLie() {
    var scenario = Scenario(name: "a", photos: 3)
    let definition = scenario.definition
    #expect(definition["photos"] == "3")
    #expect(definition["order"] == "shuffled")
    (scenario.mediaDirectory, scenario.storeDirectory) = ("/here", "/there")
    #expect(scenario.definition == definition)
    scenario.mediaChecksum = 7
    #expect(scenario.definition["mediaChecksum"] == "7")
  }
}
