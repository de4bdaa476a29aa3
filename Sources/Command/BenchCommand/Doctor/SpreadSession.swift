import Verdicts
import Harness
import Statistics

/// Pairs of this build against itself, taken in one way for as long as there is time.
final class SpreadSession<Work: Workload> {
  private let clock: HarnessClock
  private(set) var spreads: [Spread]
  /// What could not be measured and why.
  private(set) var failures: [String] = []
  private var failed: Set<String> = []
  private var lastNanoseconds: UInt64 = 0

  init(_ contenders: [String], _ level: SampleLevel, clock: HarnessClock = .monotonic) {
    self.clock = clock
    spreads = contenders.map { Spread($0, level) }
  }

  /// Takes pairs for the plan's time; whoever has too few by then gets that time once more.
  ///
  /// - Parameters:
  ///   - fewestPairs: how many say anything.
  ///   - launchers: whom to start on either side.
  /// - Returns: false if the user ended it.
  func run(
    _ plan: DuetPlan<Work>, fewestPairs: Int,
    _ launchers: (DuetSide) -> any WorkerLauncher<SampleRequest<Work>>,
    isInterrupted: @escaping () -> Bool = { Interruption.isRequested }
  ) throws -> Bool {
    // More pairs are always welcome.
    guard try take(plan, launchers, isInterrupted, isEnough: { _ in false }) else { return false }
    let short = spreads.filter { $0.logRatios.count < fewestPairs }.map(\.contender)
    var rest = plan
    rest.contenders = plan.contenders.filter { short.contains($0) && !failed.contains($0) }
    rest.seed &+= 1
    return try rest.contenders.isEmpty
      || take(rest, launchers, isInterrupted) { $0.logRatios.count >= fewestPairs }
  }

  private func take(
    _ plan: DuetPlan<Work>, _ launchers: (DuetSide) -> any WorkerLauncher<SampleRequest<Work>>,
    _ isInterrupted: @escaping () -> Bool, isEnough: @escaping (Spread) -> Bool
  ) throws -> Bool {
    lastNanoseconds = clock.nanoseconds()
    let duet = Duet(
      plan: plan, base: launchers(.base), candidate: launchers(.candidate), clock: clock,
      isInterrupted: isInterrupted
    ) { event in
      self.hear(event)
      guard case .pair(let pair) = event else { return true }
      return self.spreads.first { $0.contender == pair.contender }.map(isEnough) ?? true
    }
    return try duet.run() != .interrupted
  }

  private func hear(_ event: DuetEvent) {
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
      failed.insert(failure.contender)
      failures.append("\(failure.contender) in \(failure.scenario): \(failure.reason)")
    }
  }
}
