import Conformance
import Foundation
import Harness
import RawThreads
import UploadScenario

/// Verifies contenders by the conformance kit, then on the real services: a row for each contender and pattern, as soon as
/// it is known.
final class Verification {
  struct Cell {
    let contender: any Contender
    let pattern: Pattern
  }

  /// What was done, and what failed.
  struct Totals {
    var rules = 0
    var schedules = 0
    var checks = 0
    var interleavings = 0
    var violations = 0
    /// Cells in which time ran out before everything was tried.
    var cutShort = 0
    /// Those of them in which it ran out before anything was tried.
    var untried = 0
  }

  /// How many random schedules the first pass tries in each cell, and each further pass.
  static let schedules = (first: 40, further: 400)

  private(set) var totals = Totals()
  private let cells: [Cell]
  private let nameWidth: Int
  /// Where real uploads go; nil: there are none.
  private let endpoint: String?
  private let seed: UInt64
  private let endNanoseconds: UInt64
  /// How long nothing may happen before a job counts as hung: with a small budget a smaller part of it is lost so.
  private let timeoutSeconds: Int
  /// Those that have kept a worker from answering: they get no more than their share from then on.
  private var slow: Set<String> = []
  private let isQuiet: Bool
  private let print: (String) -> Void

  init(
    _ contenders: [any Contender], _ patterns: [Pattern], endpoint: String? = nil, seed: UInt64,
    budgetNanoseconds: UInt64, isQuiet: Bool = false, print: @escaping (String) -> Void
  ) {
    cells = contenders.flatMap { contender in
      patterns.filter(contender.patterns.contains).map { Cell(contender: contender, pattern: $0) }
    }
    nameWidth = 2 + max(18, contenders.map(\.name.count).max() ?? 0)
    self.endpoint = endpoint
    self.seed = seed
    endNanoseconds = MonotonicClock.nanoseconds() + budgetNanoseconds
    timeoutSeconds = min(20, max(3, Int(clamping: budgetNanoseconds / 8_000_000_000)))
    self.isQuiet = isQuiet
    self.print = print
  }

  private var nanosecondsLeft: UInt64 {
    let now = MonotonicClock.nanoseconds()
    return now < endNanoseconds ? endNanoseconds - now : 0
  }

  /// Everything once, as far as time allows; false if the user ended it.
  func runOnce() -> Bool {
    if !isQuiet { print(row("contender", "pattern", "by the kit", "on the services")) }
    var unfinished: [(cell: Cell, result: CellResult)] = []
    for (index, cell) in cells.enumerated() {
      guard let result = result(of: cell, nanoseconds: share(among: cells.count - index)) else {
        return false
      }
      // Most take less than their share: the rest of it is for a second run of those that need more.
      if result.isCutShort, !result.hasFailed {
        unfinished.append((cell, result))
      } else {
        report(result, of: cell)
      }
    }
    for (index, (cell, first)) in unfinished.enumerated() {
      guard let again = result(of: cell, nanoseconds: share(among: unfinished.count - index)) else {
        return false
      }
      report(first.unlessMoreCame(of: again), of: cell)
    }
    return true
  }

  private func share(among count: Int) -> UInt64 { nanosecondsLeft / UInt64(count) }

  /// What the kit and the services say of a cell.
  struct CellResult {
    let kit: ConformanceRun.Result
    let services: ServiceChecks.Result

    var isCutShort: Bool { services.isCutShort || !kit.untried.isEmpty }
    var isUntried: Bool { kit.tried.isEmpty && services.checks == 0 }
    var hasFailed: Bool { !kit.violations.isEmpty || !services.violations.isEmpty }

    /// Of this and a second run of the same, whichever tried more; a failure that the second one found stays.
    func unlessMoreCame(of other: CellResult) -> CellResult {
      let isKitBetter = other.kit.violations.isEmpty && other.kit.tried.count <= kit.tried.count
      let areServicesBetter = other.services.violations.isEmpty && other.services.checks <= services.checks
      return CellResult(
        kit: isKitBetter ? kit : other.kit, services: areServicesBetter ? services : other.services)
    }
  }

  /// nil if the user ended it.
  private func result(of cell: Cell, nanoseconds: UInt64) -> CellResult? {
    let end = MonotonicClock.nanoseconds() + nanoseconds
    let kit = examine(cell, seed: seed, schedules: Self.schedules.first, nanoseconds: nanoseconds * 2 / 3)
    if Interruption.isRequested { return nil }
    let late = lateNanoseconds(of: cell, after: end)
    let services = ServiceChecks.run(
      cell.contender.name,
      Catalog.verification(of: cell.pattern, seed: seed)
        + (endpoint.map { Catalog.verification(of: cell.pattern, at: $0, seed: seed) } ?? []),
      timeoutNanoseconds: endpoint == nil ? UInt64(timeoutSeconds) * 1_000_000_000 : nil,
      isOver: { MonotonicClock.nanoseconds() > end }, isLate: { MonotonicClock.nanoseconds() > late })
    if kit.wasSilent || MonotonicClock.nanoseconds() > end + UInt64(timeoutSeconds) * 1_000_000_000 {
      slow.insert(cell.contender.name)
    }
    return Interruption.isRequested ? nil : CellResult(kit: kit, services: services)
  }

  /// When a worker is ended that has not answered, so that the budget is one whatever hangs.
  ///
  /// - Parameter end: when it is to begin nothing new. It has longer to end what it is at, so that a hang is found out and not
  ///   only cut off; a contender that was waited for so once is not again.
  private func lateNanoseconds(of cell: Cell, after end: UInt64) -> UInt64 {
    let seconds = slow.contains(cell.contender.name) ? 1 : silenceSeconds + 2
    return min(end + UInt64(seconds) * 1_000_000_000, endNanoseconds + 2_000_000_000)
  }

  /// How long a worker may be silent in one rule: longer than the kit takes to find that a job hangs, and then another.
  private var silenceSeconds: Int { 2 * timeoutSeconds + 5 }

  private func report(_ result: CellResult, of cell: Cell) {
    add(result.kit, schedules: Self.schedules.first)
    // Further schedules try the same rule again.
    totals.rules += result.kit.tried.count
    totals.checks += result.services.checks
    totals.violations += result.services.violations.count
    if result.isCutShort { totals.cutShort += 1 }
    if result.isUntried, !result.hasFailed { totals.untried += 1 }
    if isQuiet, !result.hasFailed, !result.isCutShort { return }
    print(
      row(cell.contender.name, cell.pattern.rawValue, Self.text(result.kit), Self.text(result.services)))
    show(result.kit.violations)
    for violation in result.services.violations { print("    on the services: \(violation)\n") }
    // Where nothing was tried, the row says all.
    let untried = result.kit.untried
    if !untried.isEmpty, !result.kit.tried.isEmpty {
      print("    not tried: \(untried.joined(separator: ", "))\n")
    }
  }

  /// Further random schedules, each pass with seeds that none had before, until time is up; false if the user ended it.
  func runSchedules() -> Bool {
    let isKnown = Rule.all.contains { $0.name == ConformanceRun.scheduleRule }
    var next = seed &+ UInt64(Self.schedules.first)
    while isKnown, nanosecondsLeft > 0 {
      defer { next &+= UInt64(Self.schedules.further) }
      for cell in cells where nanosecondsLeft > 0 {
        let found = examine(
          cell, seed: next, schedules: Self.schedules.further, nanoseconds: nanosecondsLeft,
          only: [ConformanceRun.scheduleRule])
        if Interruption.isRequested { return false }
        add(found, schedules: Self.schedules.further)
        guard !found.violations.isEmpty else { continue }
        print(row(cell.contender.name, cell.pattern.rawValue, Self.text(found), "seed \(next)"))
        show(found.violations)
      }
    }
    return true
  }

  private func examine(
    _ cell: Cell, seed: UInt64, schedules: Int, nanoseconds: UInt64, only rules: [String]? = nil
  ) -> ConformanceRun.Result {
    let kit = ConformanceRun(
      contender: cell.contender.name, pattern: cell.pattern, seed: seed, timeoutSeconds: silenceSeconds)
    guard nanoseconds > 0 else { return kit.untried(only: rules) }
    let end = MonotonicClock.nanoseconds() + nanoseconds
    let late = lateNanoseconds(of: cell, after: end)
    return kit.run(only: rules) { names throws(WorkerFailure) in
      let now = MonotonicClock.nanoseconds()
      return try LineProcess(
        executable: WorkerCommand.executable,
        arguments: ConformanceWorker.arguments(
          of: kit, rules: names, schedules: schedules,
          milliseconds: Int((end > now ? end - now : 0) / 1_000_000), timeoutSeconds: timeoutSeconds),
        isSealed: true, isInterrupted: { Interruption.isRequested || MonotonicClock.nanoseconds() > late })
    }
  }

  private func add(_ result: ConformanceRun.Result, schedules: Int) {
    totals.violations += result.violations.count
    if result.passes(ConformanceRun.scheduleRule) { totals.schedules += schedules }
  }

  private func show(_ violations: [Violation]) {
    for violation in violations {
      print("    \(violation.rule): \(violation.promise)\n")
      print("      in \(violation.scenario): seen \(violation.seen), required \(violation.promised)\n")
      // A schedule does not decide what the threads do.
      print(
        "      again\(violation.rule == ConformanceRun.scheduleRule ? ", perhaps several times" : ""): \(CommandName.current) verify --contenders \(violation.contender) "
          + "--patterns \(violation.pattern.rawValue) --seed \(violation.seed)\n")
    }
  }

  private static func text(_ result: ConformanceRun.Result) -> String {
    let failed = Set(result.violations.map(\.rule)).count
    let untried = result.untried.count
    return
      (failed > 0 ? "failed \(failed) of \(result.rules.count) rules" : "passed \(result.tried.count) rules")
      + (untried > 0 ? ", \(untried) untried" : "")
  }

  private static func text(_ result: ServiceChecks.Result) -> String {
    (result.violations.isEmpty ? "passed" : "failed \(result.violations.count) of")
      + " \(result.checks) checks" + (result.isCutShort ? ", cut short" : "")
  }

  private func row(_ contender: String, _ pattern: String, _ kit: String, _ services: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text.count < width ? text.padding(toLength: width, withPad: " ", startingAt: 0) : text + " "
    }
    return padded(contender, nameWidth) + padded(pattern, 12) + padded(kit, 28) + services + "\n"
  }
}

extension ConformanceRun.Result {
  /// Whether a rule was tried and nothing came to light under it.
  func passes(_ rule: String) -> Bool {
    tried.contains(rule) && !violations.contains { $0.rule == rule }
  }
}
