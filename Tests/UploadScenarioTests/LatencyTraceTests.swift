import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct LatencyTraceTests {
  private func trace(_ model: LatencyModel, _ order: CompletionOrder, bytesPerSecond: Double? = nil)
    -> LatencyTrace
  {
    LatencyTrace(
      model: model, order: order, byteCounts: Array(repeating: 1_000, count: 50),
      bytesPerSecond: bytesPerSecond, seed: 9)
  }

  @Test func `every order uses the same latencies`() {
    let model = LatencyModel.logNormal(medianNanoseconds: 1_000_000, sigma: 0.5)
    let shuffled = trace(model, .shuffled)
    #expect(trace(model, .shuffled) == shuffled)
    #expect(trace(model, .forward).uploadNanoseconds == shuffled.uploadNanoseconds.sorted())
    #expect(trace(model, .reverse).uploadNanoseconds == shuffled.uploadNanoseconds.sorted(by: >))
    #expect(trace(model, .reverse).postNanoseconds == shuffled.postNanoseconds)
  }

  @Test func `transfer time is added`() {
    let times = trace(.fixed(nanoseconds: 5), .shuffled, bytesPerSecond: 1_000_000).uploadNanoseconds
    #expect(times == Array(repeating: 1_000_005, count: 50))
  }

  @Test func `stragglers take their factor`() {
    let times = trace(.straggler(nanoseconds: 10, every: 5, factor: 7), .shuffled).uploadNanoseconds
    #expect(Set(times) == [10, 70])
  }
}
