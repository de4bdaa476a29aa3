import Foundation
import Results
import TestSupport
import Testing

@testable import Exports

@Suite(.ownThread) struct JMHExportTests {
  private func benchmarks(_ run: ExportedRun) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(JMHExport(run).text.utf8))
    return try #require(json as? [[String: Any]])
  }

  /// What visualisers and github-action-benchmark read.
  @Test func `every benchmark has the fields of JMH`() throws {
    let benchmarks = try benchmarks(FixedRun.run())
    #expect(
      benchmarks.compactMap { $0["benchmark"] as? String } == [
        "publish-instant-100.callbacks", "publish-instant-100.futures",
        "publish-instant-100.swift-concurrency/detached", "publish-instant-8-limit-4.callbacks",
        "publish-instant-8-limit-4.futures",
      ])
    for benchmark in benchmarks {
      #expect(
        Set(benchmark.keys) == [
          "benchmark", "mode", "threads", "forks", "warmupIterations", "warmupTime", "warmupBatchSize",
          "measurementIterations", "measurementTime", "measurementBatchSize", "params", "primaryMetric",
          "secondaryMetrics",
        ])
      #expect(benchmark["mode"] as? String == "avgt" && benchmark["forks"] as? Int == 2)
      let metric = try #require(benchmark["primaryMetric"] as? [String: Any])
      #expect(
        Set(metric.keys) == [
          "score", "scoreError", "scoreConfidence", "scorePercentiles", "scoreUnit", "rawData",
        ])
      #expect(metric["scoreUnit"] as? String == "ns/op")
      let (score, error) = (metric["score"] as? Double ?? 0, metric["scoreError"] as? Double ?? 0)
      let ends = try #require(metric["scoreConfidence"] as? [Double])
      #expect(abs(ends[0] - (score - error)) < 1e-5 * score && abs(ends[1] - (score + error)) < 1e-5 * score)
      let raw = try #require(metric["rawData"] as? [[Double]])
      #expect(raw.count == 2 && raw.map(\.count).max() == benchmark["measurementIterations"] as? Int)
      let percentiles = try #require(metric["scorePercentiles"] as? [String: Double])
      #expect(Set(percentiles.keys) == ["0.0", "50.0", "90.0", "95.0", "99.0", "100.0"])
      #expect(percentiles["100.0"] == raw.joined().max() && percentiles["0.0"] == raw.joined().min())
      let secondary = try #require(benchmark["secondaryMetrics"] as? [String: [String: Any]])
      #expect(Set(secondary.keys) == ["processor-time", "allocations", "context-switches"])
      #expect(secondary["allocations"]?["scoreUnit"] as? String == "allocs/op")
    }
    #expect(benchmarks.compactMap { $0["params"] as? [String: String] }.last == ["n": "8", "k": "4"])
  }

  /// JMH's own: 99.9 % of Student's distribution with one degree of freedom less than there are values.
  @Test func `the error is half of JMH's interval`() throws {
    var samples = FixedRun.cell("callbacks", microseconds: 100, rounds: 1).filter { $0.dropped == nil }
    (samples[0].wallNanoseconds, samples[1].wallNanoseconds) = (90, 110)
    let metric = try benchmarks(FixedRun.run(samples))[0]["primaryMetric"] as? [String: Any]
    #expect(metric?["score"] as? Double == 100)
    // 636.62 for one degree of freedom, by the standard error 10.
    #expect(abs((metric?["scoreError"] as? Double ?? 0) - 6_366.2) < 0.1)
  }

  @Test func `the error of one value is unknown`() throws {
    let samples = FixedRun.cell("callbacks", microseconds: 100, rounds: 1).filter {
      $0.dropped == nil && $0.generation == 0
    }
    let metric = try benchmarks(FixedRun.run(samples))[0]["primaryMetric"] as? [String: Any]
    #expect(metric?["scoreError"] as? String == "NaN")
    #expect(metric?["scoreConfidence"] as? [String] == ["NaN", "NaN"])
  }

  /// Visualisers take what stands before the last dot for a class.
  @Test func `a name has one dot`() throws {
    let samples = FixedRun.cell("a.b", "race-hedge-1.5ms", microseconds: 100)
    #expect(try benchmarks(FixedRun.run(samples))[0]["benchmark"] as? String == "race-hedge-1~5ms.a~b")
  }
}
