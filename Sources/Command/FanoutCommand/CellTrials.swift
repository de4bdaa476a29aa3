import Conformance
import Foundation
import Harness
import RawThreads
import Synchronization
import UploadScenario

/// A contender and a pattern: a row of the table that `bench verify` prints.
struct Cell: Sendable {
  let contender: any Contender
  let pattern: Pattern
  var key: String { "\(contender.name) \(pattern.rawValue)" }

  /// The requirements that the contender declares not to meet in this pattern.
  var knownBroken: [BrokenRequirement] {
    contender.brokenRequirements.filter { $0.patterns.contains(pattern) }
  }
}

/// The results of the conformance kit and of the checks on services, for one contender and pattern.
struct CellResult: Sendable {
  let kit: ConformanceRun.Result
  let services: ServiceChecks.Result

  var isCutShort: Bool { services.isCutShort || !kit.untried.isEmpty }
  var isUntried: Bool { kit.tried.isEmpty && services.checks == 0 }
  var hasFailed: Bool { !kit.violations.isEmpty || !services.violations.isEmpty }

  /// Adds the result of a second pass, which tried the remaining rules and checked the services again.
  func followed(by rest: CellResult) -> CellResult {
    let areServicesBetter = !rest.services.violations.isEmpty || rest.services.checks > services.checks
    return CellResult(
      kit: kit.followed(by: rest.kit), services: areServicesBetter ? rest.services : services)
  }
}

/// Verifies each contender and pattern in a worker process. Several processes run concurrently, within a time budget.
final class CellTrials: Sendable {
  /// For each contender and pattern, a pass tries this many random orders of events (schedules).
  static let schedules = (firstLook: 10, first: 40, further: 400)

  private let endpoint: String?
  private let context: CompletionContext?
  private let seed: UInt64
  private let endNanoseconds: UInt64
  /// The time without any event after which a job counts as hung: an eighth of the budget, but at least 3 s and at most 20 s.
  private let timeoutSeconds: Int
  /// The contenders with a worker that once did not respond in time. Their next hangs get no extra time for a diagnosis.
  private let slow = Mutex<Set<String>>([])

  init(endpoint: String?, context: CompletionContext?, seed: UInt64, budgetNanoseconds: UInt64) {
    self.endpoint = endpoint
    self.context = context
    self.seed = seed
    endNanoseconds = MonotonicClock.nanoseconds() + budgetNanoseconds
    timeoutSeconds = min(20, max(3, Int(clamping: budgetNanoseconds / 8_000_000_000)))
  }

  func nanosecondsLeft(until end: UInt64 = .max) -> UInt64 {
    let (now, end) = (MonotonicClock.nanoseconds(), min(end, endNanoseconds))
    return now < end ? end - now : 0
  }

  /// Calls `body` for each index, with a share of the remaining time. Uses two more threads than processors, because most threads wait.
  func inTurn<Outcome: Sendable>(
    _ count: Int,
    _ body:
      @escaping @Sendable (_ index: Int, _ nanoseconds: UInt64, _ found: (Violation) -> Void) -> Outcome?
  ) -> Lanes<Outcome> {
    let lanes = min(count, ProcessInfo.processInfo.activeProcessorCount + 2)
    return Lanes(count, lanes: lanes) { [self] index, found in
      let left = nanosecondsLeft()
      return body(index, min(left, left / UInt64(count - index) * UInt64(lanes)), found)
    }
  }

  /// Tries for at most half a second the rules that most broken contenders break. Returns `nil` if interrupted.
  func firstLook(at cell: Cell, nanoseconds: UInt64, found: (Violation) -> Void) -> CellResult? {
    let kit = examine(
      cell, seed: seed, schedules: Self.schedules.firstLook, nanoseconds: min(nanoseconds / 4, 500_000_000),
      isFirstLook: true, found: found)
    if Interruption.isRequested { return nil }
    return CellResult(kit: kit.afterFirstLook, services: ServiceChecks.Result())
  }

  /// Tries the rules that the earlier result `first` lacks, then runs scenarios on the services. Returns `nil` if interrupted.
  func result(
    of cell: Cell, after first: CellResult? = nil, nanoseconds: UInt64, found: (Violation) -> Void
  ) -> CellResult? {
    let end = MonotonicClock.nanoseconds() + nanoseconds
    let kit = examine(
      cell, seed: seed, schedules: Self.schedules.first, nanoseconds: nanoseconds * 2 / 3,
      after: first?.kit, found: found)
    if Interruption.isRequested { return nil }
    let late = lateNanoseconds(of: cell, after: end)
    let scenarios =
      Catalog.verification(of: cell.pattern, seed: seed)
      + (endpoint.map { Catalog.verification(of: cell.pattern, at: $0, seed: seed) } ?? [])
    // A contender that declares unmet requirements is checked only in scenarios that it supports.
    let written = cell.knownBroken.isEmpty ? scenarios : scenarios.filter(cell.contender.writes)
    let services = ServiceChecks.run(
      cell.contender.name, context.map { context in written.map { $0.on(context) } } ?? written,
      timeoutNanoseconds: endpoint == nil ? UInt64(timeoutSeconds) * 1_000_000_000 : nil,
      isOver: { MonotonicClock.nanoseconds() > end }, isLate: { MonotonicClock.nanoseconds() > late })
    if kit.wasSilent || MonotonicClock.nanoseconds() > end + UInt64(timeoutSeconds) * 1_000_000_000 {
      slow.withLock { _ = $0.insert(cell.contender.name) }
    }
    if Interruption.isRequested { return nil }
    let result = CellResult(kit: kit, services: services)
    return first?.followed(by: result) ?? result
  }

  /// Tries random orders of events (schedules) while time remains. Returns `nil` if interrupted.
  func furtherSchedules(
    of cell: Cell, seed: UInt64, until end: UInt64, found: (Violation) -> Void
  ) -> ConformanceRun.Result? {
    let result = examine(
      cell, seed: seed, schedules: Self.schedules.further, nanoseconds: nanosecondsLeft(until: end),
      only: [ConformanceRun.scheduleRule], found: found)
    return Interruption.isRequested ? nil : result
  }

  /// The time at which a worker that does not respond is killed. Once for each contender, it is late enough to diagnose a hang.
  private func lateNanoseconds(of cell: Cell, after end: UInt64) -> UInt64 {
    let isSlow = slow.withLock { $0.contains(cell.contender.name) }
    let seconds = isSlow ? 1 : silenceSeconds + 2
    return min(end + UInt64(seconds) * 1_000_000_000, endNanoseconds + 2_000_000_000)
  }

  /// A worker may be silent for this long during one rule. Diagnosing two hung jobs takes less.
  private var silenceSeconds: Int { 2 * timeoutSeconds + 5 }

  private func examine(
    _ cell: Cell, seed: UInt64, schedules: Int, nanoseconds: UInt64, only rules: [String]? = nil,
    after first: ConformanceRun.Result? = nil, isFirstLook: Bool = false, found: (Violation) -> Void
  ) -> ConformanceRun.Result {
    let kit = ConformanceRun(
      contender: cell.contender.name, pattern: cell.pattern, seed: seed, timeoutSeconds: silenceSeconds)
    guard nanoseconds > 0 else { return kit.untried(only: first?.untried ?? rules) }
    let end = MonotonicClock.nanoseconds() + nanoseconds
    // The short first pass ends soon even if a job hangs. The second pass diagnoses the hang.
    let late = isFirstLook ? end + 1_000_000_000 : lateNanoseconds(of: cell, after: end)
    func waits(_ rule: Rule) {
      Terminal.remark(
        "\(cell.contender.name) \(cell.pattern.rawValue): the rule \(rule.name) has taken \(ConformanceRun.remarkSeconds) s so far; still waiting"
      )
    }
    return kit.run(only: rules, after: first, found: found, waits: waits) { names throws(WorkerFailure) in
      let now = MonotonicClock.nanoseconds()
      return try LineProcess(
        executable: WorkerCommand.executable,
        arguments: try WorkerCommand.arguments(
          "--examine",
          Examination(
            contender: kit.contender, pattern: kit.pattern, context: context, rules: names, seed: seed,
            schedules: schedules,
            milliseconds: Int((end > now ? end - now : 0) / 1_000_000), timeoutSeconds: timeoutSeconds,
            isFirstLook: isFirstLook)),
        isInterrupted: { Interruption.isRequested || MonotonicClock.nanoseconds() > late })
    }
  }
}

/// Runs numbered jobs on a few threads. Another thread reads their outcomes in order, and violations as soon as they are found.
final class Lanes<Outcome: Sendable>: Sendable {
  private struct State {
    var begun = 0
    /// The violations that are not yet read.
    var found: [Violation] = []
    /// The outcomes by the job's index; `nil` if the job was interrupted.
    var outcomes: [Int: Outcome?] = [:]
  }

  private let state = Mutex(State())
  private let parker = Parker()

  init(
    _ count: Int, lanes: Int,
    _ body: @escaping @Sendable (_ index: Int, _ found: (Violation) -> Void) -> Outcome?
  ) {
    for lane in 0..<lanes {
      _ = RawThread(name: "verify-\(lane)") { [self] in
        while let index = next(count) {
          let outcome = body(index) { violation in
            state.withLock { $0.found.append(violation) }
            parker.unpark()
          }
          _ = state.withLock { $0.outcomes.updateValue(outcome, forKey: index) }
          parker.unpark()
        }
      }
    }
  }

  private func next(_ count: Int) -> Int? {
    state.withLock { state in
      guard state.begun < count else { return nil }
      defer { state.begun += 1 }
      return state.begun
    }
  }

  /// Waits for the outcome of a job. Meanwhile, passes violations of any job to `found`. Only one thread may call this method.
  func outcome(of index: Int, found: (Violation) -> Void) -> Outcome? {
    while true {
      let (violations, outcome) = state.withLock { state in
        defer { state.found = [] }
        return (state.found, state.outcomes.removeValue(forKey: index))
      }
      violations.forEach(found)
      if let outcome { return outcome }
      parker.park()
    }
  }
}
