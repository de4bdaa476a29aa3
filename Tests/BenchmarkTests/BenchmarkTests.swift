import Synchronization
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Benchmark
import struct Benchmarking.SuiteProblem
@testable import Harness
@testable import Results

/// For one thread at a time.
private final class Log: @unchecked Sendable {
  // Invariant: a benchmark's pass is done by one thread at a time, and the test waits for it.
  var lines: [String] = []
  /// What a clock shows that goes on when it is told to.
  var now: UInt64 = 0

  var clock: HarnessClock { HarnessClock { self.now } }
}

/// What is spelled for package-benchmark is measured as it says. Serial: registering is global.
@Suite(.ownThread, .serialized) final class BenchmarkTests {
  private let log = Log()

  init() { forget() }

  deinit { forget() }

  private func forget() {
    Benchmark.benchmarks = []
    Benchmark.defaultConfiguration = .usual
    (Benchmark.setup, Benchmark.teardown, Benchmark.startupHook, Benchmark.shutdownHook) = (
      nil, nil, nil, nil
    )
  }

  /// A sample's meter.
  @discardableResult private func sample(_ body: BenchmarkBody, _ passes: Int) throws -> BenchmarkMeter {
    let meter = BenchmarkMeter(log.clock)
    #expect(try body.perform(passes, meter) == nil)
    return meter
  }

  @Test func aPassGoesOverWhatTheScalingFactorSaysAndTimesArePerOne() throws {
    Benchmark.defaultConfiguration.scalingFactor = .kilo
    var count = 0
    Benchmark("a") { benchmark in for _ in benchmark.scaledIterations { count += 1 } }
    Benchmark("b", configuration: .init(scalingFactor: .mega)) { _ in }
    let table = try BenchmarkTable(Benchmark.benchmarks)
    #expect(table.cases.map(\.units) == [1_000, 1_000_000])
    let meter = try sample(try table.body(of: table.cases[0], by: "suite"), 3)
    #expect(count == 3_000 && meter.iterations == 3)
  }

  @Test func whatComesBeforeStartAndAfterStopIsNotMeasured() throws {
    let log = log
    let benchmark = try #require(
      Benchmark("a") { benchmark in
        log.now += 1_000
        benchmark.startMeasurement()
        log.now += 7
        benchmark.stopMeasurement()
        log.now += 1_000
        benchmark.startMeasurement()
        log.now += 3
      })
    let body = try benchmark.body
    for passes in [1, 5] { #expect(try sample(body, passes).nanoseconds == UInt64(10 * passes)) }
  }

  @Test func aPassThatOnlyStopsIsMeasuredFromItsBeginning() throws {
    let log = log
    let benchmark = try #require(
      Benchmark("a") { benchmark in
        log.now += 7
        benchmark.stopMeasurement()
        log.now += 1_000
      })
    #expect(try sample(benchmark.body, 4).nanoseconds == 28)
  }

  @Test func whatIsLeftOutDoesNotMakeASampleLastForEver() throws {
    let log = log
    let benchmark = try #require(
      Benchmark("a") { benchmark in
        log.now += 100_000_000
        benchmark.startMeasurement()
        log.now += 1
      })
    let meter = try sample(benchmark.body, 1_000)
    #expect(meter.iterations == 3 && meter.nanoseconds == 3)
  }

  @Test func startingNowAndThenIsRefused() throws {
    let benchmark = try #require(
      Benchmark("a") { if $0.currentIteration % 2 == 0 { $0.startMeasurement() } })
    let error = #expect(throws: SuiteProblem.self) { try sample(try benchmark.body, 2) }
    #expect(error?.description == "calls startMeasurement() in some passes and not in others")
  }

  @Test func asyncPassesAreMeasured() throws {
    let log = log
    let benchmark = try #require(
      Benchmark("a") { benchmark in
        await Task.yield()
        benchmark.startMeasurement()
        log.now += 7
      })
    #expect(try sample(benchmark.body, 5).nanoseconds == 35)
  }

  @Test func aPassThatFailsSaysWhy() throws {
    let said = try #require(Benchmark("a") { $0.error("no luck") })
    let thrown = try #require(Benchmark("b") { _ in throw SuiteProblem(description: "thrown") })
    for (benchmark, reason) in [(said, "no luck"), (thrown, "thrown")] {
      let error = #expect(throws: SuiteProblem.self) { try sample(try benchmark.body, 1) }
      #expect(error?.description == reason)
    }
  }

  @Test func itIsGivenWhatTheSetUpMadeOnce() throws {
    let log = log
    let benchmark = try #require(
      Benchmark("a") { (_, made: String) in
        log.lines.append(made)
      } setup: { () async in
        log.lines.append("set up")
        return "made"
      })
    let body = try benchmark.body
    for _ in 0..<2 { try sample(body, 2) }
    #expect(log.lines == ["set up", "made", "made", "made", "made"])
  }

  @Test func setUpsAreDoneInTheirOrderOnceAndNothingIsTornDownWhichIsSaid() throws {
    let log = log
    func hook(_ line: String) -> Benchmark.BenchmarkSetupHook { { log.lines.append(line) } }
    Benchmark.startupHook = hook("startup")
    Benchmark.setup = hook("all")
    Benchmark.teardown = hook("end of all")
    Benchmark(
      "a", configuration: .init(setup: hook("configured"), teardown: hook("end of configured")),
      closure: { _ in log.lines.append("pass") }, setup: hook("own"), teardown: hook("end of own"))
    let body = try Benchmark.benchmarks[0].body
    for _ in 0..<2 { try sample(body, 1) }
    #expect(log.lines == ["startup", "all", "configured", "own", "pass", "pass"])
    let table = try BenchmarkTable(Benchmark.benchmarks)
    #expect(table.remark == "of package-benchmark's configuration, not followed: teardown")
  }

  @Test func aSetUpThatFailsIsTold() throws {
    let benchmark = try #require(
      Benchmark("a", closure: { _ in }, setup: { throw SuiteProblem(description: "no server") }))
    let error = #expect(throws: SuiteProblem.self) { try benchmark.body }
    #expect(error?.description == "its set-up ended with an error: no server")
  }

  @Test func whatIsSkippedIsNotThere() {
    Benchmark("a", configuration: .init(skip: true)) { _ in }
    #expect(Benchmark.benchmarks.isEmpty)
    #expect(throws: SuiteProblem.self) { try BenchmarkTable(Benchmark.benchmarks) }
  }

  @Test func equalNamesAreRefusedAndTagsTellThemApart() throws {
    for count in [1, 2] { Benchmark("a", configuration: .init(tags: ["n": "\(count)"])) { _ in } }
    let table = try BenchmarkTable(Benchmark.benchmarks)
    #expect(table.cases.map(\.name) == ["a/n=1", "a/n=2"])
    #expect(table.cases.map(\.summary) == ["a (n: 1)", "a (n: 2)"])
    Benchmark("a", configuration: .init(tags: ["n": "1"])) { _ in }
    let error = #expect(throws: SuiteProblem.self) { try BenchmarkTable(Benchmark.benchmarks) }
    #expect(
      error?.description
        == "two benchmarks are called “a (n: 1)”: rename one, or tell them apart with tags.")
  }

  @Test func whatIsNotFollowedIsSaidOnce() throws {
    Benchmark("usual") { _ in }
    #expect(try BenchmarkTable(Benchmark.benchmarks).remark == nil)
    for name in ["a", "b"] {
      Benchmark(
        name,
        configuration: .init(
          metrics: [.wallClock, .syscalls, .custom("hits")], scalingFactor: .kilo, maxDuration: .seconds(3),
          thresholds: [.wallClock: .relaxed])
      ) { _ in }
    }
    #expect(
      try BenchmarkTable(Benchmark.benchmarks).remark
        == "of package-benchmark's configuration, not followed: maxDuration, thresholds, metric syscalls, custom metric “hits”"
    )
  }
}

@Suite(.ownThread) struct RecordNameTests {
  @Test(arguments: [
    (["a", "b.c(d)"], ["a", "b.c-d"]),
    (["Parse WebPKI Roots from DER"], ["Parse-WebPKI-Roots-from-DER"]),
    (["MTELG.scheduleTask(in:_:)"], ["MTELG.scheduleTask-in:_:"]),
    (["a b", "a-b", "a (b)"], ["a-b-2", "a-b", "a-b-3"]),
    (["ä", "→", "a-2", "a", "a!"], ["benchmark", "benchmark-2", "a-2", "a", "a-3"]),
    (["- x"], ["x"]),
  ]) func namesBecomeThoseOfRecords(_ names: [String], _ expected: [String]) throws {
    let found = RecordName.unique(of: names)
    #expect(found == expected)
    for name in found { try RecordName.check(name) }
  }

  @Test func longNamesStayApart() throws {
    let long = String(repeating: "long ", count: 40)
    let names = RecordName.unique(of: [long + "a", long + "b"])
    #expect(Set(names).count == 2)
    for name in names { try RecordName.check(name) }
  }
}
