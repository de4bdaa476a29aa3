import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct WatchPaceTests {
  @Test func nobodyReadsFasterThanTenTimesASecond() {
    var pace = WatchPace()
    let drawn = stride(from: 0, to: 1, by: 0.01).count { pace.isDrawingDue(at: $0) }
    #expect((8...10).contains(drawn))
  }

  @Test(arguments: [0.001, 0.02, 0.2, 3])
  func analysesTakeAtMostATwentiethOfTheTime(duration: Double) {
    var pace = WatchPace()
    var (now, spent) = (0.0, 0.0)
    while now < 600 {
      if pace.isAnalysisDue(at: now) {
        pace.analysed(from: now, to: now + duration)
        spent += duration
        now += duration
      }
      now += 0.1
    }
    #expect(spent <= now * 0.05 + duration)
    #expect(spent > 0)
  }

  @Test func pagesAreTurnedOneByOne() {
    #expect([0, 4.9, 5, 9.9, 10.1].map(WatchPace().page) == [0, 0, 1, 1, 2])
  }
}
