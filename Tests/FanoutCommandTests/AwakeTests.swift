import Foundation
import Results
import Synchronization
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct AwakeTests {
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

@Suite(.ownThread) struct RunConditionsTests {
  /// One processor, of which a control group allows half.
  private let small = [
    "/proc/self/status": "Cpus_allowed_list:\t0\n", "/sys/devices/system/cpu/online": "0-1\n",
    "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n",
    "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
    "/proc/stat": "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
  ]

  @Test func `processor limits are warned of once`() {
    var environment = EnvironmentRecord()
    environment.warnings = ["something else"]
    let conditions = RunConditions(MachineFiles { [small] in small[$0] })
    conditions.record(into: &environment)
    #expect(environment.processorsAllowed == 1)
    #expect(environment.processorQuota == 0.5)
    #expect(environment.warnings.count == 3)
    #expect(environment.warnings[0] == "something else")
    #expect(environment.warnings[1].hasPrefix("processors: 1 of 2 may be used; "))
    #expect(environment.warnings[2].hasPrefix("processor quota: 0.50 processors' time; "))
    conditions.end(into: &environment)
    #expect(environment.warnings.count == 3)
    #expect(environment.throttledShare == 0)
  }

  @Test func `an unknown machine adds no warning`() {
    var environment = EnvironmentRecord()
    let conditions = RunConditions(MachineFiles { _ in nil })
    conditions.record(into: &environment)
    conditions.end(into: &environment)
    #expect(environment == EnvironmentRecord())
  }
}
