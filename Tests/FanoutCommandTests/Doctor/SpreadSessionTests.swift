import Results
import Statistics
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct SpreadSessionTests {
  /// A worker whose samples take so long, on a clock that they move; nil: it fails.
  private final class Sampler: WorkerHandle {
    let nanoseconds: (String) -> UInt64?
    let clock: StillClock
    private var contender = ""

    init(_ clock: StillClock, nanoseconds: @escaping (String) -> UInt64?) {
      self.clock = clock
      self.nanoseconds = nanoseconds
    }

    func launch(_ contender: String) throws(WorkerFailure) -> any WorkerHandle<SampleRequest<Scenario>> {
      let sampler = Sampler(clock, nanoseconds: nanoseconds)
      sampler.contender = contender
      return sampler
    }

    func run(_ request: SampleRequest<Scenario>, timeout: WorkerTimeout) throws(WorkerFailure) -> SampleReply
    {
      guard let nanoseconds = nanoseconds(contender) else { throw .died(how: "signal 11") }
      clock.now.add(1_000, ordering: .relaxed)
      var reply = SampleReply(outcome: .measured, iterations: request.iterations)
      reply.wallNanoseconds = nanoseconds * UInt64(request.iterations)
      return reply
    }

    func stop() {}
  }

  /// Time that passes only when a sample is taken.
  private final class StillClock: Sendable {
    let now = Atomic<UInt64>(0)

    var clock: HarnessClock {
      HarnessClock { self.now.load(ordering: .relaxed) }
    }
  }

  private let plan = DuetPlan(
    ["a", "b"].map { CellKey(contender: $0, scenario: "one") }, of: [Scenario(name: "one", photos: 1)]
  ) { plan in
    plan.measure = .wall
    plan.warmUpSamples = 1
    plan.samples = 4
    plan.sampleNanoseconds = 1
    plan.budgetNanoseconds = 60_000
  }

  @Test func `pairs are measured until the time is up, and each is timed`() throws {
    let clock = StillClock()
    let session = SpreadSession<Scenario>(["a", "b"], .lowQuarter, clock: clock.clock)
    try session.run(plan, fewestPairs: 0) { side in
      Sampler(clock) { $0 == "a" ? 100 : side == .base ? 100 : 200 }.launch
    }
    // Five samples of each side are ten microseconds, so six pairs fill sixty.
    #expect(session.spreads.map(\.contender) == ["a", "b"])
    #expect(session.spreads.map(\.logRatios.count) == [3, 3])
    #expect(session.spreads.map(\.pairNanoseconds) == [10_000, 10_000])
    #expect(session.spreads[0].logRatios == [0, 0, 0])
    #expect(session.spreads[1].logRatios.allSatisfy { $0 > 0.69 && $0 < 0.7 })
    #expect(session.failures.isEmpty)
  }

  @Test func `a contender that fails is named and the other goes on`() throws {
    let clock = StillClock()
    let session = SpreadSession<Scenario>(["a", "b"], .lowQuarter, clock: clock.clock)
    try session.run(plan, fewestPairs: 8) { _ in Sampler(clock) { $0 == "a" ? nil : 100 }.launch }
    #expect(session.failures == ["a in one: its worker died: signal 11"])
    // Six in the time that there is, and two more in as much again.
    #expect(session.spreads[1].logRatios.count == 8)
  }

  /// Three pairs each in the time that there is, and no more than three in as much again.
  @Test(arguments: [(0, 3), (3, 3), (5, 5), (6, 6), (100, 6)])
  func `too few pairs extend the time once`(fewest: Int, pairs: Int) throws {
    let clock = StillClock()
    let session = SpreadSession<Scenario>(["a", "b"], .lowQuarter, clock: clock.clock)
    try session.run(plan, fewestPairs: fewest) { _ in Sampler(clock) { _ in 100 }.launch }
    #expect(session.spreads.map(\.logRatios.count) == [pairs, pairs])
  }
}
