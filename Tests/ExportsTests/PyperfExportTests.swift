import Foundation
import Results
import TestSupport
import Testing

@testable import Exports

@Suite(.ownThread) struct PyperfExportTests {
  /// The values of a benchmark, run by run.
  private func values(_ samples: [Sample], _ count: Int) throws -> [[Double]] {
    let text = try PyperfExport(FixedRun.run(samples), values: count).text
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let benchmarks = json?["benchmarks"] as? [[String: Any]] ?? []
    #expect(benchmarks.count == 1)
    return (benchmarks.first?["runs"] as? [[String: Any]] ?? []).compactMap { $0["values"] as? [Double] }
  }

  @Test(arguments: [7, 8, 30])
  func `a cell has the same number of values for any number of samples`(rounds: Int) throws {
    let runs = try values(FixedRun.cell("callbacks", microseconds: 100, rounds: rounds), 6)
    #expect(runs.map(\.count) == Array(repeating: 1, count: 6))
  }

  @Test func `a value is the time of its samples divided by their posts`() throws {
    var samples = FixedRun.cell("callbacks", microseconds: 100, rounds: 2).filter { $0.dropped == nil }
    #expect(samples.count == 4)
    for (index, (wall, posts)) in [(100, 10), (400, 30), (200, 20), (200, 20)].enumerated() {
      (samples[index].wallNanoseconds, samples[index].iterations) = (wall, posts)
    }
    // Nothing of a sample is lost, and the whole's mean is that of the run.
    #expect(try values(samples, 2) == [[325e-9], [200e-9]])
    #expect(try values(samples, 4) == [[100e-9], [400e-9], [200e-9], [200e-9]])
    #expect(try values(samples, 0) == [[100e-9], [400e-9], [200e-9, 200e-9]])
  }

  @Test func `a cell of fewer samples is left out and reported`() throws {
    let export = try PyperfExport(FixedRun.run())
    #expect(!export.text.contains("publish-instant-8-limit-4"))
    #expect(
      export.remarks == [
        "2 of 5 cells have fewer than 6 samples and are left out: give --values 4 for both runs, or --values 0 for all samples as they are, which pyperf cannot compare between runs of different length"
      ])
    #expect(try PyperfExport(FixedRun.run(), values: 4).remarks.isEmpty)
    #expect(try PyperfExport(FixedRun.run(), values: 0).remarks.isEmpty)
  }
}
