import Testing
import UploadScenario

@Suite struct FaultsTests {
  @Test func oneFailsWhereItIsTold() {
    let faults = Faults(failAt: 3)
    #expect((0..<10).filter { faults.failure(at: $0) != nil } == [3])
    #expect(faults.failure(at: 3)?.description == "media 3: refused by the scenario")
  }

  @Test(arguments: [0.0, 0.25, 1.0])
  func theShareThatFailsIsTheRateAndTheSameEachTime(_ rate: Double) {
    let faults = Faults(failureRate: rate, seed: 5)
    let failing = (0..<10_000).filter { faults.failure(at: $0) != nil }
    #expect(abs(Double(failing.count) / 10_000 - rate) < 0.02)
    #expect(failing == (0..<10_000).filter { faults.failure(at: $0) != nil })
  }
}
