import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct LoadRowsTests {
  @Test func `unknown values are empty, and a failed window needs a reason`() throws {
    var window = LoadWindow {
      $0.subject = LoadSubject {
        ($0.run, $0.contender, $0.scenario, $0.pattern, $0.service) = (
          "r", "futures", "s", "publish", "latency"
        )
        ($0.fanOut, $0.payloadBytes, $0.schedule) = (10, 1, "poisson")
      }
      ($0.round, $0.position, $0.offeredPerSecond, $0.windowNanoseconds) = (0, 0, 1, 1)
      ($0.posts.due, $0.posts.completed, $0.posts.peakInFlight, $0.drainNanoseconds) = (1, 1, 1, 0)
      $0.outcome = .measured
    }
    let fields = try CSVLine.split(window.csvLine().dropLast().utf8)
    for (column, field) in zip(LoadWindow.columns, fields) where column.name.hasPrefix("p9") {
      #expect(field.isEmpty)
    }
    window.outcome = .failed
    #expect(throws: ResultsError.self) { try window.csvLine() }
  }
}
