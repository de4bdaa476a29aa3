import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadRuleTests {
  private typealias Machine = SyntheticLoad.Machine

  private func verdict(_ window: LoadWindow, _ objective: LatencyObjective? = SyntheticLoad.objective)
    -> LoadVerdict?
  { LoadRule(objective: objective).verdict(of: window) }

  @Test func `posts in time are sustained`() {
    #expect(verdict(SyntheticLoad.window()) == .held)
    #expect(verdict(SyntheticLoad.window(), nil) == .held)
  }

  @Test func `one post in a hundred may be late`() {
    #expect(verdict(SyntheticLoad.window { $0 % 100 == 0 ? 20_000_000 : 1_000_000 }) == .held)
    let missed = SyntheticLoad.window { $0 % 90 == 0 ? 20_000_000 : 1_000_000 }
    #expect(verdict(missed) == .missed)
    #expect(verdict(missed, nil) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 20_000_000)) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 19_999_999)) == .missed)
  }

  @Test func `too few posts give no percentile`() {
    #expect(verdict(SyntheticLoad.window(perSecond: 100)) == nil)
    #expect(verdict(SyntheticLoad.window(perSecond: 100), nil) == .held)
  }

  @Test(arguments: [(150_000_000, LoadVerdict.held), (160_000_000, .saturated)] as [(UInt64, LoadVerdict)])
  func `a twentieth of the window may pile up`(drainNanoseconds: UInt64, expected: LoadVerdict) {
    #expect(verdict(SyntheticLoad.window(drainNanoseconds: drainNanoseconds)) == expected)
  }

  /// A service that takes long to answer is not slow to be done.
  @Test func `a long service time is no backlog`() {
    let window = SyntheticLoad.window(drainNanoseconds: 900_000_000) { _ in 850_000_000 }
    #expect(verdict(window, nil) == .held)
  }

  @Test func `a full window and a given-up post are saturation`() {
    var window = SyntheticLoad.window()
    window.isFull = true
    #expect(verdict(window) == .saturated)
    window.isFull = false
    window.posts.givenUp = 1
    #expect(verdict(window) == .saturated)
  }

  @Test(
    arguments: [
      (0.2, 0.75, 0, .machineLimit), (0.2, 0, 0.75, .machineLimit), (0.2, 0.5, 0, .missed),
      (0.95, 0.05, 0, .missed),
    ] as [(Double, Double, Double, LoadVerdict)])
  func `busy other processes are the machine's limit`(
    process: Double, others: Double, steal: Double, expected: LoadVerdict
  ) {
    let window = SyntheticLoad.window(
      machine: Machine(process: process, others: others, steal: steal)
    ) { _ in 50_000_000 }
    #expect(verdict(window) == expected)
  }

  @Test func `a rate sustained beside busy processes is sustained`() {
    #expect(verdict(SyntheticLoad.window(machine: Machine(others: 0.8))) == .held)
  }

  @Test func `a late generator is no miss, unless the contender was busy`() {
    let late = { (process: Double) in
      SyntheticLoad.window(latenessNanoseconds: 1_100_000, machine: Machine(process: process)) { _ in
        50_000_000
      }
    }
    #expect(verdict(late(0.2)) == .generatorLate)
    #expect(verdict(late(0.9)) == .missed)
    // A tenth of the time that is asked for is late, too.
    let strict = LatencyObjective(percentile: .p99, nanoseconds: 1_000_000)
    #expect(
      verdict(SyntheticLoad.window(latenessNanoseconds: 110_000) { _ in 2_000_000 }, strict) == .generatorLate
    )
  }

  @Test func `unknown readings excuse nothing`() {
    var window = SyntheticLoad.window(machine: Machine(others: 0.8)) { _ in 50_000_000 }
    window.busyNanoseconds = nil
    #expect(verdict(window) == .missed)
  }

  @Test func `a failed window has no verdict`() {
    var window = SyntheticLoad.window()
    window.outcome = .wrong
    #expect(verdict(window) == nil)
  }

  @Test func `the rule names its thresholds`() {
    let text = LoadRule(objective: SyntheticLoad.objective).description
    for part in ["p99 ≤ 10.0 ms", "5 %", "10 %", "80 %", "above 1.00 ms"] { #expect(text.contains(part)) }
    let strict = LoadRule(objective: LatencyObjective(percentile: .p99, nanoseconds: 500_000))
    #expect(strict.description.contains("above 50.0 µs"))
  }
}
