import Testing
import UploadScenario

@Suite struct IdealTimeTests {
  static let trace = LatencyTrace(uploadNanoseconds: [10, 20, 30, 41], postNanoseconds: 5)

  @Test(arguments: [(nil, 46), (1, 106), (2, 56), (3, 46), (9, 46)] as [(Int?, UInt64)])
  func theLongestOrTheEvenSpreadBoundsPublish(_ limit: Int?, _ nanoseconds: UInt64) {
    #expect(IdealTime.nanoseconds(of: Self.trace, pattern: .publish, limit: limit) == nanoseconds)
  }

  @Test func aSequenceTakesTheSum() {
    #expect(IdealTime.nanoseconds(of: Self.trace, pattern: .sequence, limit: nil) == 106)
  }

  @Test func withoutMediaThePostIsLeft() {
    let empty = LatencyTrace(uploadNanoseconds: [], postNanoseconds: 5)
    #expect(IdealTime.nanoseconds(of: empty, pattern: .publish, limit: nil) == 5)
  }
}
