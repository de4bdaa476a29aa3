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

  static let known = LatencyTrace(uploadNanoseconds: [10, 20, 30, 41], postNanoseconds: 5)

  private func ideal(
    _ pattern: Pattern, of trace: LatencyTrace = known, limit: Int? = nil,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> UInt64 {
    var scenario = Scenario(name: "test", pattern: pattern, photos: 4, limit: limit)
    change(&scenario)
    return trace.idealNanoseconds(in: scenario)
  }

  @Test(arguments: [(nil, 46), (1, 106), (2, 56), (3, 46), (9, 46)] as [(Int?, UInt64)])
  func `the longest upload or an even spread bounds publish`(_ limit: Int?, _ nanoseconds: UInt64) {
    #expect(ideal(.publish, limit: limit) == nanoseconds)
    #expect(ideal(.blocking, limit: limit) == nanoseconds)
  }

  @Test func `a sequence takes the sum`() { #expect(ideal(.sequence) == 106) }

  @Test func `without media only the post takes time`() {
    #expect(ideal(.publish, of: LatencyTrace(uploadNanoseconds: [], postNanoseconds: 5)) == 5)
  }

  @Test(arguments: [(nil, 76), (1, 106)] as [(Int?, UInt64)])
  func `a media file takes its URL and its upload`(_ limit: Int?, _ nanoseconds: UInt64) {
    #expect(ideal(.presigned, limit: limit) == nanoseconds)
  }

  @Test func `uploaders share the chunks`() { #expect(ideal(.stream) { $0.uploaders = 2 } == 56) }

  /// The races are 10 against 20 and 41 against 30, each secondary later by the hedge delay.
  @Test(arguments: [(0, 35), (7, 42), (100, 46)] as [(Int64, UInt64)])
  func `the slower mirror does not count`(_ hedge: Int64, _ nanoseconds: UInt64) {
    let trace = LatencyTrace(uploadNanoseconds: [10, 20, 41, 30], postNanoseconds: 5)
    #expect(ideal(.race, of: trace) { $0.hedgeDelay = .nanoseconds(hedge) } == nanoseconds)
  }
}
