import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct WorkloadTests {
  @Test func `a scenario is defined by its data, not by its folders`() {
    var scenario = Scenario(name: "a", photos: 3)
    let definition = scenario.definition
    #expect(definition["photos"] == "3")
    #expect(definition["order"] == "shuffled")
    (scenario.mediaDirectory, scenario.storeDirectory) = ("/here", "/there")
    #expect(scenario.definition == definition)
    scenario.mediaChecksum = 7
    #expect(scenario.definition["mediaChecksum"] == "7")
  }

  /// Answers that come while others are still being asked for hide what waiting takes.
  @Test func `memory is measured with all uploads in flight`() {
    func held(_ configure: (inout Scenario) -> Void = { _ in }) -> Scenario? {
      var scenario = Scenario(name: "a", photos: 1_000)
      configure(&scenario)
      return scenario.forMemory
    }
    #expect(held()?.holdsAnswers == true && held()?.problem == nil)
    #expect(held { $0.limit = 8 }?.holdsAnswers == true)
    #expect(held { $0.photos = 999 } == nil)
    let race = held { $0.pattern = .race }
    #expect(race != nil && race?.holdsAnswers == false)
  }
}
