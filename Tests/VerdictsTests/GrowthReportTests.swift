import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct GrowthReportTests {
  private func records(_ samples: [Sample]) -> [GrowthRecord] {
    SyntheticGrowth.analysis(samples).growth.records
  }

  private func record(_ samples: [Sample]) throws -> GrowthRecord { try #require(records(samples).first) }

  @Test func `proportional growth is linear`() throws {
    let record = try record(SyntheticGrowth.cells("callbacks") { 2_000 + 90 * $0 })
    #expect(record.verdict == .linear)
    #expect(abs((record.exponent ?? 0) - 1) < 0.02)
    #expect(record.exponentFromFanOut == 1_000)
    #expect(record.superlinearFromFanOut == nil)
  }

  @Test(arguments: [3, 50, 1_000]) func `a long series keeps its ends and at most 50 widths`(count: Int)
    throws
  {
    let series = try #require(Series.all(of: (1...count).map { ($0, "publish-instant-\($0)") }).first)
    let widths = series.scenarios.map(\.fanOut)
    #expect(widths.first == 1 && widths.last == count)
    #expect(widths == Set(widths).sorted() && widths.count <= 50)
    // All of each power of ten, and at least 20 in all.
    #expect(count <= 50 ? widths.count == count : widths.count >= 20)
  }

  @Test func `growth by N log N is superlinear`() throws {
    let record = try record(SyntheticGrowth.cells("callbacks") { 500 + 20 * $0 * log2($0) })
    #expect(record.verdict == .superlinear)
    #expect((1.07...1.15).contains(try #require(record.exponent)))
  }

  /// Quadratic beyond 10 000.
  @Test func `the fan-out where a curve bends is found`() throws {
    let analysis = SyntheticGrowth.analysis(
      SyntheticGrowth.cells("swift-concurrency") { 90 * $0 * max(1, $0 / 10_000) })
    let record = try #require(analysis.growth.records.first)
    #expect(record.verdict == .superlinear)
    #expect(record.superlinearFromFanOut == 10_000)
    #expect(abs((record.widestExponent ?? 0) - 2) < 0.05)
    #expect(
      analysis.growth.sentences == [
        "swift-concurrency grows superlinearly from 10 000 uploads on (N^2.00) in publish-instant-N."
      ])
  }

  /// A task group that ends in reverse.
  @Test func `growth that depends on the order of ends is reported`() {
    func cells(_ order: String, _ time: (Double) -> Double) -> [Sample] {
      SyntheticGrowth.cells("swift-concurrency", series: "publish-latency-N-\(order)", nanoseconds: time)
        + SyntheticGrowth.cells("callbacks", series: "publish-latency-N-\(order)") { 90 * $0 }
    }
    let analysis = SyntheticGrowth.analysis(
      cells("forward") { 500 * $0 } + cells("reverse") { 20 * $0 * max(25, $0 / 1_000) }
        + cells("shuffled") { 600 * $0 })
    #expect(
      analysis.growth.sentences == [
        "swift-concurrency grows superlinearly from 10 000 uploads on (N^2.00) in publish-latency-N-reverse."
      ])
  }

  @Test func `a stopped series says where and why`() throws {
    let fanOuts = Array(SyntheticGrowth.fanOuts.dropLast())
    let analysis = SyntheticGrowth.analysis(
      SyntheticGrowth.cells("operations", fanOuts: fanOuts) { 90 * $0 }
        + SyntheticGrowth.stopped("operations", fanOut: 1_000_000)
        + SyntheticGrowth.cells("callbacks") { 80 * $0 })
    let record = try #require(analysis.growth.records.first { $0.contender == "operations" })
    #expect(record.mostFanOut == 100_000 && record.widths == 6)
    #expect(record.verdict == .linear)
    #expect(record.stoppedAtFanOut == 1_000_000)
    #expect(record.stoppedBy == "timed out: no completion within 60 s (1 sample)")
    #expect(
      analysis.growth.sentences.last
        == "operations was stopped at 1 000 000 uploads in publish-instant-N: timed out: no completion within 60 s (1 sample)."
    )
  }

  @Test(arguments: [(1, 40), (2, 20), (6, 0), (3, 1)])
  func `too few processes or rounds give no interval`(generations: Int, rounds: Int) throws {
    let samples = SyntheticGrowth.cells("callbacks", generations: generations, rounds: max(1, rounds)) {
      90 * $0
    }
    let few = rounds == 0 ? samples.filter { $0.generation < 5 } : samples
    let record = try record(few)
    #expect(abs((record.exponent ?? 0) - 1) < 0.03)
    #expect(record.exponentLow == nil)
    #expect(record.verdict == .unresolved)
  }

  @Test func `scenarios that are no series have no growth`() {
    #expect(records(SyntheticRun.samples).isEmpty)
    #expect(records(SyntheticGrowth.cells("callbacks", fanOuts: [1, 10]) { $0 }).isEmpty)
  }

  @Test(arguments: [
    (1.06, 1.2, GrowthVerdict.superlinear), (1.04, 1.2, .unresolved), (0.95, 1.05, .linear),
    (0.8, 0.94, .sublinear), (0.9, 1.0, .unresolved),
  ]) func `the interval decides the verdict`(low: Double, high: Double, verdict: GrowthVerdict) {
    #expect(GrowthVerdict(low...high) == verdict)
    #expect(GrowthVerdict(nil) == .unresolved)
  }

  /// A linear contender, one that bends and stops, one that becomes cheaper, and a long name.
  static let analysis = SyntheticGrowth.analysis(
    SyntheticGrowth.cells("callbacks") { 90 * $0 } + SyntheticGrowth.cells("futures") { 20_000 + 50 * $0 }
      + SyntheticGrowth.cells("swift-concurrency", fanOuts: Array(SyntheticGrowth.fanOuts.dropLast())) {
        400 * $0 * max(1, $0 / 10_000)
      } + SyntheticGrowth.stopped("swift-concurrency", fanOut: 1_000_000)
      + SyntheticGrowth.cells("swift-concurrency/unsafe-continuation", fanOuts: [1, 10, 100]) { 70 * $0 })

  @Test func `the JSON report holds the rows of the files`() throws {
    let text = try Self.analysis.json()
    for column in GrowthRecord.columns { #expect(text.contains("\"\(column.name)\" : ")) }
    #expect(text.contains("\"superlinear_from_fan_out\" : 10000"))
  }
}

/// Series with known growth: the time of a post for each fan-out, with jitter of process and sample.
enum SyntheticGrowth {
  static let fanOuts = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

  static func cells(
    _ contender: String, series: String = "publish-instant-N", fanOuts: [Int] = fanOuts, generations: Int = 6,
    rounds: Int = 4, nanoseconds: (Double) -> Double
  ) -> [Sample] {
    fanOuts.flatMap { fanOut in
      (0..<generations).flatMap { generation -> [Sample] in
        var process = SeededNumbers(seed: hash(contender, series, "1", "\(generation)"))
        let level = process.normal()
        return (0..<rounds).map { round in
          var numbers = SeededNumbers(
            seed: hash(contender, series, "1", "\(generation)", "\(fanOut)", "\(round)"))
          let wall = nanoseconds(Double(fanOut)) * exp(0.01 * (level + numbers.normal()))
          return Sample {
            ($0.run, $0.generation, $0.round, $0.position) = ("growth", generation, round, 0)
            $0.contender = contender
            $0.scenario = series.replacing("N", with: "\(fanOut)")
            ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", fanOut, 65_536)
            ($0.iterations, $0.outcome, $0.wallNanoseconds) = (1, .measured, max(1, Int(wall)))
            $0.posts = 1
            $0.inFlightBytes = fanOut >= 1_000 ? fanOut * 200 : nil
          }
        }
      }
    }
  }

  /// A sample that did not end.
  static func stopped(_ contender: String, fanOut: Int) -> [Sample] {
    [
      Sample {
        ($0.run, $0.generation, $0.round, $0.position) = ("growth", 0, 0, 0)
        ($0.contender, $0.scenario) = (contender, "publish-instant-\(fanOut)")
        ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", fanOut, 65_536)
        ($0.iterations, $0.outcome, $0.reason) = (1, .timedOut, "no completion within 60 s")
      }
    ]
  }

  static func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(
      run: "growth", samples: samples,
      options: AnalysisOptions(reference: "callbacks") { $0.rankResamples = 400 })
  }

  private static func hash(_ texts: String...) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in texts.joined(separator: " ").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
