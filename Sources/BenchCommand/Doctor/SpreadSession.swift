import Analysis
import Harness
import UploadScenario

/// Pairs of this build against itself, taken in one way for as long as there is time.
final class SpreadSession {
  private let clock: HarnessClock
  private(set) var spreads: [Spread]
  /// What could not be measured and why.
  private(set) var failures: [String] = []
  private var lastNanoseconds: UInt64 = 0

  init(_ contenders: [any Contender], clock: HarnessClock = .monotonic) {
    self.clock = clock
    spreads = contenders.map { Spread($0.name) }
  }

  /// - Parameter launchers: whom to start on either side.
  /// - Returns: false if the user ended it.
  func run(
    _ plan: DuetPlan<Scenario>, _ launchers: (DuetSide) -> any WorkerLauncher<Scenario>,
    isInterrupted: @escaping () -> Bool = { Interruption.isRequested }
  ) throws -> Bool {
    lastNanoseconds = clock.nanoseconds()
    let duet = Duet(
      plan: plan, base: launchers(.base), candidate: launchers(.candidate), clock: clock,
      isInterrupted: isInterrupted, listen: hear)
    return try duet.run() != .interrupted
  }

  private func hear(_ event: DuetEvent) -> Bool {
    let now = clock.nanoseconds()
    defer { lastNanoseconds = now }
    switch event {
    case .pair(let pair):
      if let index = spreads.firstIndex(where: { $0.contender == pair.contender }) {
        spreads[index].add(
          base: pair.base, candidate: pair.candidate, disturbed: pair.disturbed,
          nanoseconds: Double(now - lastNanoseconds))
      }
    case .failure(let failure):
      failures.append("\(failure.contender) in \(failure.scenario): \(failure.reason)")
    }
    // Another pair is always welcome.
    return false
  }
}
