import Conformance
import Foundation
import Results
import UploadScenario
import Verdicts

/// Verifies contenders with the conformance kit, then through the real services. Prints violations and a row for each contender and pattern.
final class Verification {
  struct Totals {
    var rules = 0
    var schedules = 0
    var checks = 0
    var interleavings = 0
    var violations = 0
    /// The number of rows (a contender and a pattern) that were not tried completely.
    var cutShort = 0
    /// The incomplete rows of which nothing was tried.
    var untried = 0
    /// The incomplete rows that failed.
    var cutShortByFailure = 0
    /// The incomplete rows for which time ran out because other processes used the processors.
    var starved = 0
  }

  private(set) var totals = Totals()
  /// The printed violations. `others` are further rules under which the same violation was seen.
  private var repeats: [(cell: String, seen: String, rule: String, others: [String])] = []
  private var untried: [(contender: String, cells: [String])] = []
  private var failed: Set<String> = []
  private let cells: [Cell]
  private let nameWidth: Int
  private let context: CompletionContext?
  private let seed: UInt64
  private let trials: CellTrials
  private let isQuiet: Bool
  private let print: (String) -> Void

  init(
    _ contenders: [any Contender], _ patterns: [Pattern], endpoint: String? = nil,
    on context: CompletionContext? = nil, seed: UInt64, budgetNanoseconds: UInt64, isQuiet: Bool = false,
    print: @escaping (String) -> Void
  ) {
    cells = contenders.flatMap { contender in
      patterns.filter(contender.patterns.contains).map { Cell(contender: contender, pattern: $0) }
    }
    nameWidth = 2 + max(18, contenders.map(\.name.count).max() ?? 0)
    (self.context, self.seed) = (context, seed)
    trials = CellTrials(
      endpoint: endpoint, context: context, seed: seed, budgetNanoseconds: budgetNanoseconds)
    self.isQuiet = isQuiet
    self.print = print
  }

  static let interrupted = "not everything was verified"

  func runOnce() throws {
    if !isQuiet { print(row("contender", "pattern", "by the kit", "on the services")) }
    let looks = trials.inTurn(cells.count) { [trials, cells] index, nanoseconds, found in
      trials.firstLook(at: cells[index], nanoseconds: nanoseconds, found: found)
    }
    try runRows(after: try cells.indices.map { try outcome(of: $0, in: looks) })
    for (contender, cells) in untried {
      print("    not tried of \(contender): \(cells.joined(separator: "; "))\n")
    }
  }

  private func runRows(after looked: [CellResult]) throws {
    var results: [CellResult] = []
    var unfinished: [Int] = []
    // Rows are printed in the order of the contenders.
    var reported = 0
    func reportRows(upTo end: Int) {
      for index in reported..<end { report(results[index], of: cells[index]) }
      reported = end
    }
    defer { reportRows(upTo: results.count) }
    let once = trials.inTurn(cells.count) { [trials, cells] index, nanoseconds, found in
      trials.result(of: cells[index], after: looked[index], nanoseconds: nanoseconds, found: found)
    }
    for index in cells.indices {
      let result = try outcome(of: index, in: once)
      results.append(result)
      // Most rows finish early, so rows that were cut short get the remaining time.
      if result.isCutShort, !result.hasFailed { unfinished.append(index) }
      if unfinished.isEmpty { reportRows(upTo: results.count) }
    }
    let again = trials.inTurn(unfinished.count) {
      [trials, cells, unfinished, results] place, nanoseconds, found in
      let index = unfinished[place]
      return trials.result(
        of: cells[index], after: results[index], nanoseconds: nanoseconds, found: found)
    }
    for (place, index) in unfinished.enumerated() {
      reportRows(upTo: index)
      results[index] = try outcome(of: place, in: again)
    }
  }

  private func outcome<Outcome>(of index: Int, in lanes: Lanes<Outcome>) throws -> Outcome {
    guard let outcome = lanes.outcome(of: index, found: show) else { throw Interrupted(Self.interrupted) }
    return outcome
  }

  private func report(_ result: CellResult, of cell: Cell) {
    add(result.kit, schedules: CellTrials.schedules.first)
    totals.rules += result.kit.tried.count
    totals.checks += result.services.checks
    totals.violations += result.services.violations.count
    let known = cell.knownBroken
    let violated = Set(result.kit.violations.map(\.rule))
    for broken in known where violated.isDisjoint(with: broken.rules) && result.kit.untried.isEmpty {
      totals.violations += 1
      print(
        "\(cell.contender.name) \(cell.pattern.rawValue) passes \(broken.rules[0]), which its brokenRequirements list as broken: remove it there\n"
      )
    }
    if result.isCutShort { totals.cutShort += 1 }
    if result.isCutShort, result.kit.wasStarved || result.services.wasStarved { totals.starved += 1 }
    if result.isCutShort, result.hasFailed { totals.cutShortByFailure += 1 }
    if result.hasFailed { failed.insert(cell.key) }
    if result.isUntried, !result.hasFailed { totals.untried += 1 }
    let isAsKnown = violated.isSubset(of: known.flatMap(\.rules)) && result.services.violations.isEmpty
    if isQuiet, !result.hasFailed || isAsKnown, !result.isCutShort { return }
    let kitText =
      known.isEmpty
      ? Self.text(result.kit)
      : "passed \(result.kit.tried.count - violated.count) of \(Plural.counted(result.kit.rules.count, "rule"))"
        + (result.kit.untried.isEmpty ? "" : " (\(result.kit.untried.count) untried)")
    print(row(cell.contender.name, cell.pattern.rawValue, kitText, Self.text(result.services)))
    for violation in repeats where violation.cell == cell.key && !violation.others.isEmpty {
      print("    \(violation.rule): the same violation under \(violation.others.joined(separator: ", "))\n")
    }
    for line in Self.merged(result.services.violations) { print("    on the services: \(line)\n") }
    let names = result.kit.untried
    if names.isEmpty || result.kit.tried.isEmpty { return }
    let what =
      names.count <= 3
      ? names.joined(separator: ", ") : "\(names.count) of \(Plural.counted(result.kit.rules.count, "rule"))"
    let text = "\(cell.pattern.rawValue) (\(what))"
    if untried.last?.contender == cell.contender.name {
      untried[untried.count - 1].cells.append(text)
    } else {
      untried.append((cell.contender.name, [text]))
    }
  }

  /// Each distinct violation once, with its first scenario and the number of other scenarios.
  static func merged(_ violations: [ServiceChecks.Violation]) -> [String] {
    violations.map(\.words).unique().map { words in
      let names = violations.filter { $0.words == words }.compactMap(\.scenario)
      guard let first = names.first else { return words }
      return
        "\(first)\(names.count > 1 ? " and \(Plural.counted(names.count - 1, "other"))" : ""): \(words)"
    }
  }

  /// Tries random orders of events until `end` or the end of the budget, with a new seed in each pass. Skips what has failed.
  func runSchedules(until end: UInt64) throws {
    let isKnown = Rule.all.contains { $0.name == ConformanceRun.scheduleRule }
    func seeds(_ schedules: Int) -> UInt64 { UInt64(schedules) * Conformance.seedsPerPlay }
    var next = seed &+ seeds(CellTrials.schedules.first)
    var cells = cells.filter { !failed.contains($0.key) }
    while isKnown, trials.nanosecondsLeft(until: end) > 0, !cells.isEmpty {
      defer { next &+= seeds(CellTrials.schedules.further) }
      let pass = trials.inTurn(cells.count) { [trials, cells, next] index, _, found in
        trials.furtherSchedules(of: cells[index], seed: next, until: end, found: found)
      }
      var kept: [Cell] = []
      for (index, cell) in cells.enumerated() {
        let found = try outcome(of: index, in: pass)
        add(found, schedules: CellTrials.schedules.further)
        if found.violations.isEmpty {
          kept.append(cell)
        } else {
          print(row(cell.contender.name, cell.pattern.rawValue, "failed in a further schedule", ""))
        }
      }
      cells = kept
    }
  }

  private func add(_ result: ConformanceRun.Result, schedules: Int) {
    if result.passes(ConformanceRun.scheduleRule) { totals.schedules += schedules }
  }

  func show(_ violation: Violation) {
    let isKnown =
      cells.first { $0.key == violation.cell }?.knownBroken.contains { $0.rules.contains(violation.rule) }
      ?? false
    if !isKnown { totals.violations += 1 }
    let (cell, seen) = (violation.cell, violation.withoutNumbers)
    if let known = repeats.firstIndex(where: { $0.cell == cell && $0.seen == seen }) {
      if repeats[known].rule != violation.rule { repeats[known].others.append(violation.rule) }
      return
    }
    repeats.append((cell, seen, violation.rule, []))
    let place = context.map { " --on \($0.rawValue)" } ?? ""
    // A seed does not determine the order of threads, so this rule may need several attempts.
    let often = violation.rule == ConformanceRun.scheduleRule ? ", perhaps several times" : ""
    if isKnown, isQuiet { return }
    print(
      """
      \(violation.contender) \(violation.pattern.rawValue) \(isKnown ? "breaks, as it declares," : "fails") \(violation.rule): \(violation.promise)
          in \(violation.scenario): seen \(violation.seen), required \(violation.promised)
          again\(often): \(CommandName.current) verify --contenders \(violation.contender)\(place) \
      --patterns \(violation.pattern.rawValue) --seed \(violation.seed)

      """)
  }

  private static func text(_ result: ConformanceRun.Result) -> String {
    let failed = Set(result.violations.map(\.rule)).count
    let untried = result.untried.count
    return
      (failed > 0
      ? "failed \(failed) of \(Plural.counted(result.rules.count, "rule"))"
      : "passed \(Plural.counted(result.tried.count, "rule"))")
      + (untried > 0 ? " (\(untried) untried)" : "")
  }

  private static func text(_ result: ServiceChecks.Result) -> String {
    (result.violations.isEmpty ? "passed" : "failed \(result.violations.count) of")
      + " \(Plural.counted(result.checks, "check"))" + (result.isCutShort ? ", cut short" : "")
  }

  private func row(_ contender: String, _ pattern: String, _ kit: String, _ services: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text.count < width ? text.padding(toLength: width, withPad: " ", startingAt: 0) : text + "  "
    }
    return padded(contender, nameWidth) + padded(pattern, 12) + padded(kit, 36) + services + "\n"
  }
}

extension Violation {
  fileprivate var cell: String { "\(contender) \(pattern.rawValue)" }

  /// The text without digits: two violations count as the same if only their times and numbers of uploads differ.
  fileprivate var withoutNumbers: String { "\(seen), \(promised)".filter { !$0.isNumber } }
}
