import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import Exports

@Suite(.ownThread) struct ExportFormatTests {
  @Test(arguments: ExportFormat.allCases)
  func `the export is the golden file`(format: ExportFormat) throws {
    let name = format == .benchstat ? "benchstat.txt" : "\(format.rawValue).json"
    let text = try format.export(FixedRun.run { $0.contender == "futures" }).text
    let file = try GoldenFile(name, for: text, beside: #filePath)
    #expect(text == file.expected, "\(file.difference)")
  }

  @Test(arguments: ExportFormat.allCases)
  func `a sample that does not count changes nothing`(format: ExportFormat) throws {
    let clean = FixedRun.samples.filter { $0.dropped == nil && $0.outcome == .measured }
    // Extreme values of samples that are left out.
    let spoilt = FixedRun.samples.map { sample in
      var sample = sample
      if sample.dropped != nil { (sample.wallNanoseconds, sample.allocations) = (1, 1) }
      return sample
    }
    #expect(try format.export(FixedRun.run(spoilt)).text == format.export(FixedRun.run(clean)).text)
  }

  @Test(arguments: ExportFormat.allCases)
  func `an unknown count is left out and not 0`(format: ExportFormat) throws {
    let samples = FixedRun.samples.map { sample in
      var sample = sample
      (sample.allocations, sample.voluntarySwitches, sample.peakRSSBytes) = (nil, nil, nil)
      return sample
    }
    let text = try format.export(FixedRun.run(samples)).text
    for word in ["alloc", "ctxsw", "switches", "memory"] { #expect(!text.contains(word), "\(word)") }
  }

  @Test func `the export reports what it leaves out`() {
    #expect(
      FixedRun.run().leftOut == [
        "left out of 76 samples: 10 warm-up, 6 disturbed",
        "operations on publish-instant-100 is not exported: failed: ended with an error: media 3 (16 samples)",
        "not measured: swift-concurrency/detached × publish-instant-8-limit-4, operations × publish-instant-8-limit-4",
      ])
  }

  @Test func `a failure in any sample removes the whole cell`() {
    let samples = FixedRun.cell("callbacks", microseconds: 100) + FixedRun.cell("futures", microseconds: 200)
    var failing = samples
    failing[20].outcome = .wrong
    #expect(FixedRun.run(samples).cells.map(\.contender) == ["callbacks", "futures"])
    #expect(FixedRun.run(failing).cells.map(\.contender) == ["callbacks"])
  }

  @Test func `cells of several machines keep their names`() throws {
    let samples = ["node-1", "node-2"].flatMap { machine in
      FixedRun.cell("callbacks", microseconds: 100, machine: machine)
        + FixedRun.cell("futures", microseconds: 200, machine: machine)
    }
    let run = FixedRun.run(samples)
    #expect(Set(run.cells.map(\.path)).count == 4)
    #expect(run.cells.contains { $0.path == "publish-instant-100@node-2/futures/n=100" })
    let lines = try ExportFormat.benchstat.export(run).text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("machine: ") } == ["machine: node-1", "machine: node-2"])
  }

  @Test func `a slash in a scenario does not make two cells of one name`() throws {
    let samples = FixedRun.cell("a", "x/b", microseconds: 1) + FixedRun.cell("b/a", "x", microseconds: 1)
    #expect(FixedRun.run(samples).cells.map(\.path) == ["x~b/a/n=100", "x/b/a/n=100"])
    for format in ExportFormat.allCases { _ = try format.export(FixedRun.run(samples)) }
  }

  @Test func `a noisy scenario is named and keeps its ratio where rounds are enough`() throws {
    let samples = FixedRun.samples.map { sample in
      var sample = sample
      if sample.round % 2 == 1, sample.outcome == .measured { sample.dropped = .disturbed }
      return sample
    }
    let run = FixedRun.run(samples)
    #expect(
      run.leftOut.contains {
        $0.hasPrefix("only undisturbed rounds are exported of these noisy scenarios: publish-instant-100")
      })
    for format in [ExportFormat.bmf, .gab] {
      let export = try format.export(run)
      #expect(export.text.contains("ratio"))
      #expect(
        export.remarks == [
          "no ratio to the reference, because the run is undecided: futures on publish-instant-8-limit-4"
        ])
    }
  }

  private func benchmarks(_ run: ExportedRun) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(JMHExport.export(run).text.utf8))
    return try #require(json as? [[String: Any]])
  }

  /// As visualisers and github-action-benchmark read them.
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

  /// As in JMH: 99.9 % of Student's distribution with one degree of freedom less than there are values.
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

  /// Visualisers take the text before the last dot for a class.
  @Test func `a name has one dot`() throws {
    let samples = FixedRun.cell("a.b", "race-hedge-1.5ms", microseconds: 100)
    #expect(try benchmarks(FixedRun.run(samples))[0]["benchmark"] as? String == "race-hedge-1~5ms.a~b")
  }

  /// The values of a benchmark, run by run.
  private func values(_ samples: [Sample], _ count: Int) throws -> [[Double]] {
    let text = try PyperfExport.export(FixedRun.run(samples), values: count).text
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
    // The means add up to that of the run.
    #expect(try values(samples, 2) == [[325e-9], [200e-9]])
    #expect(try values(samples, 4) == [[100e-9], [400e-9], [200e-9], [200e-9]])
    #expect(try values(samples, 0) == [[100e-9], [400e-9], [200e-9, 200e-9]])
  }

  @Test func `a cell of fewer samples is left out and reported`() throws {
    let export = try PyperfExport.export(FixedRun.run())
    #expect(!export.text.contains("publish-instant-8-limit-4"))
    #expect(
      export.remarks == [
        "2 of 5 benchmarks have fewer than 6 samples and are left out: give --values 4 for both runs, or --values 0 for all samples as they are, which pyperf cannot compare between runs of different length"
      ])
    #expect(try PyperfExport.export(FixedRun.run(), values: 4).remarks.isEmpty)
    #expect(try PyperfExport.export(FixedRun.run(), values: 0).remarks.isEmpty)
  }
}
