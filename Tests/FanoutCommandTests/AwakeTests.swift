import Foundation
import Harness
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct AwakeTests {
  @Test func `without the option no latency is requested`() throws {
    #expect(try Awake.request(false, path: "/absent/latency") == nil)
  }

  @Test func `a latency request that the system refuses ends the command`() {
    let error = #expect(throws: UsageError.self) { try Awake.request(true, path: "/absent/latency") }
    #expect(error?.description.hasPrefix("--awake cannot be had here: it needs ") == true)
    #expect(error?.description.contains("\n") == false)
  }

  #if os(Linux)
    /// Hand-overs that take 40 µs, and 10 while they are asked to take less.
    @Test func `hand-overs with and without the request are interleaved`() throws {
      let scratch = try Scratch()
      try Data().write(to: URL(fileURLWithPath: scratch.path("latency")))
      var (record, turn) = (MachineRecord(), 0)
      HandOverComparison.record(into: &record, turns: 3, path: scratch.path("latency")) {
        turn += 1
        return [Double](repeating: turn % 2 == 1 ? 40_000 : 10_000, count: 9) + [90_000]
      }
      #expect(turn == 6)
      #expect(record.handOver?.medianNanoseconds == 40_000)
      #expect(record.awakeHandOver?.medianNanoseconds == 10_000)
      #expect(record.awakeNeeds == nil)
    }
  #endif

  @Test func `without the permission the plain hand-over is still recorded`() {
    var record = MachineRecord()
    HandOverComparison.record(into: &record, turns: 2, path: "/absent/latency") { [40_000] }
    #expect(record.handOver == HandOverRecord(medianNanoseconds: 40_000, p90Nanoseconds: 40_000))
    #expect(record.awakeHandOver == nil)
    #expect(record.awakeNeeds?.hasPrefix("it needs ") == true)
  }
}
