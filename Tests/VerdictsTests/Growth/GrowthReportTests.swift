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

  @Test func `growth by N log N is superlinear`() throws {
    let record = try record(SyntheticGrowth.cells("callbacks") { 500 + 20 * $0 * log2($0) })
    #expect(record.verdict == .superlinear)
    #expect((1.07...1.15).contains(try #require(record.exponent)))
  }

  /// Quadratic beyond 10 000, and nothing but the samples says so.
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

  /// Over the whole it may look linear: the end tells.
  @Test func `a late bend is reported even if the whole is unresolved`() throws {
    let record = try record(
      SyntheticGrowth.cells("callbacks", jitter: 0.002) { 90 * $0 * max(1, pow($0 / 100_000, 0.1)) })
    #expect(record.verdict != .superlinear)
    #expect(record.superlinearFromFanOut == 100_000)
  }

  @Test func `fixed costs are sublinear`() throws {
    let record = try record(SyntheticGrowth.cells("callbacks") { 50_000_000 + $0 })
    #expect(record.verdict == .sublinear)
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
        "swift-concurrency in publish-latency-N is a matter of the order in which uploads end: it grows superlinearly from 10 000 uploads on (N^2.00) in reverse; linear in forward and shuffled."
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

  @Test func `the numbers at the largest fan-out equal the summary's`() throws {
    let analysis = SyntheticGrowth.analysis(SyntheticGrowth.cells("callbacks") { 90 * $0 })
    let widest = analysis.summaries.first { $0.fanOut == 1_000_000 }
    let record = try #require(analysis.growth.records.first)
    #expect(record.nanosecondsPerUpload == widest?.nanosecondsPerUpload)
    #expect(record.bytesPerUpload == 200)
  }

  @Test func `scenarios that are no series have no growth`() {
    #expect(records(SyntheticRun.samples).isEmpty)
    #expect(records(SyntheticGrowth.cells("callbacks", fanOuts: [1, 10]) { $0 }).isEmpty)
  }

  @Test(arguments: [
    (1.06, 1.2, GrowthVerdict.superlinear), (1.04, 1.2, .unresolved), (0.95, 1.05, .linear),
    (0.8, 0.94, .sublinear),
    (0.9, 1.0, .unresolved),
  ]) func `the interval decides the verdict`(low: Double, high: Double, verdict: GrowthVerdict) {
    #expect(GrowthVerdict(low...high) == verdict)
    #expect(GrowthVerdict(nil) == .unresolved)
  }

  @Test func `the order of samples does not matter`() {
    let samples =
      SyntheticGrowth.cells("callbacks") { 90 * $0 } + SyntheticGrowth.cells("futures") { 5_000 + 80 * $0 }
    let (one, other) = (
      SyntheticGrowth.analysis(samples).growth, SyntheticGrowth.analysis(samples.reversed()).growth
    )
    #expect(one.records.count == other.records.count && one.records.allSatisfy(other.records.contains))
    #expect(one.crossovers.count == other.crossovers.count)
    #expect(one.crossovers.allSatisfy(other.crossovers.contains))
  }
}
