import Conformance
import Foundation
import UploadScenario

/// Verifies contenders by the conformance kit, then on the real services: each violation of the kit's as soon as it has come to
/// light, and a row for each contender and pattern.
final class Verification {
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

  private(set) var totals = Totals()
  private let cells: [Cell]
  private let nameWidth: Int
  private let seed: UInt64
  private let trials: CellTrials
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
    self.seed = seed
    trials = CellTrials(endpoint: endpoint, seed: seed, budgetNanoseconds: budgetNanoseconds)
    self.isQuiet = isQuiet
    self.print = print
  }

  /// Everything once, as far as time allows; false if the user ended it.
  func runOnce() -> Bool {
    if !isQuiet { print(row("contender", "pattern", "by the kit", "on the services")) }
    let looks = trials.inTurn(cells.count, more: 2) { [trials, cells] index, nanoseconds, found in
      trials.firstLook(at: cells[index], nanoseconds: nanoseconds, found: found)
    }
    var looked: [CellResult] = []
    for index in cells.indices {
      guard let look = looks.outcome(of: index, found: show) else { return false }
      looked.append(look)
    }
    var unfinished: [Cell] = []
    var first: [CellResult] = []
    let once = trials.inTurn(cells.count) { [trials, cells, looked] index, nanoseconds, found in
      trials.result(of: cells[index], after: looked[index], nanoseconds: nanoseconds, found: found)
    }
    for index in cells.indices {
      guard let result = once.outcome(of: index, found: show) else { return false }
      // Most take less than their share: the rest of it is for those that need more.
      if result.isCutShort, !result.hasFailed {
        unfinished.append(cells[index])
        first.append(result)
      } else {
        report(result, of: cells[index])
      }
    }
    let again = trials.inTurn(unfinished.count) { [trials, unfinished, first] index, nanoseconds, found in
      trials.result(of: unfinished[index], after: first[index], nanoseconds: nanoseconds, found: found)
    }
    for index in unfinished.indices {
      guard let result = again.outcome(of: index, found: show) else { return false }
      report(result, of: unfinished[index])
    }
    return true
  }

  private func report(_ result: CellResult, of cell: Cell) {
    add(result.kit, schedules: CellTrials.schedules.first)
    // Further schedules try the same rule again.
    totals.rules += result.kit.tried.count
    totals.checks += result.services.checks
    totals.violations += result.services.violations.count
    if result.isCutShort { totals.cutShort += 1 }
    if result.isUntried, !result.hasFailed { totals.untried += 1 }
    if isQuiet, !result.hasFailed, !result.isCutShort { return }
    print(
      row(cell.contender.name, cell.pattern.rawValue, Self.text(result.kit), Self.text(result.services)))
    for violation in result.services.violations { print("    on the services: \(violation)\n") }
    // Where nothing was tried, the row says all.
    let untried = result.kit.untried
    if !untried.isEmpty, !result.kit.tried.isEmpty {
      print("    not tried: \(untried.joined(separator: ", "))\n")
    }
  }

  /// Further random schedules, each pass with seeds that none had before, until time is up; false if the user ended it.
  ///
  /// A cell that failed is tried no further: each pass would tell the same again.
  func runSchedules() -> Bool {
    let isKnown = Rule.all.contains { $0.name == ConformanceRun.scheduleRule }
    var next = seed &+ UInt64(CellTrials.schedules.first)
    var cells = cells
    while isKnown, trials.nanosecondsLeft > 0, !cells.isEmpty {
      defer { next &+= UInt64(CellTrials.schedules.further) }
      let pass = trials.inTurn(cells.count) { [trials, cells, next] index, _, found in
        trials.furtherSchedules(of: cells[index], seed: next, found: found)
      }
      var kept: [Cell] = []
      for (index, cell) in cells.enumerated() {
        guard let found = pass.outcome(of: index, found: show) else { return false }
        add(found, schedules: CellTrials.schedules.further)
        if found.violations.isEmpty {
          kept.append(cell)
        } else {
          print(row(cell.contender.name, cell.pattern.rawValue, Self.text(found), "seed \(next)"))
        }
      }
      cells = kept
    }
    return true
  }

  private func add(_ result: ConformanceRun.Result, schedules: Int) {
    totals.violations += result.violations.count
    if result.passes(ConformanceRun.scheduleRule) { totals.schedules += schedules }
  }

  /// It may belong to a row that comes later.
  private func show(_ violation: Violation) {
    // A schedule does not decide what the threads do.
    let often = violation.rule == ConformanceRun.scheduleRule ? ", perhaps several times" : ""
    print(
      """
      \(violation.contender) \(violation.pattern.rawValue) fails \(violation.rule): \(violation.promise)
          in \(violation.scenario): seen \(violation.seen), required \(violation.promised)
          again\(often): \(CommandName.current) verify --contenders \(violation.contender) \
      --patterns \(violation.pattern.rawValue) --seed \(violation.seed)

      """)
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
