import Foundation
import Harness
import Results
import UploadScenario
import Verdicts

/// Compares this build with another in each scenario, together with controls. Contenders that seem changed are measured a second time.
final class DuetSession<Work: Workload> {
  /// Memory is measured in this many processes of each build.
  private static var memoryProcesses: Int { 5 }

  private let options: AgainstOptions<Work>
  private let base: OtherBuild
  private let candidates: [URL]
  private let record: CSVWriter<DuetRound>?
  private let dropRule = DropRule()
  private let placement: Placement
  private let remarks: [String]
  /// The results so far. The keys of controls have names of their own, such as `callbacks (A/A control)`.
  private var cells: [CellKey: CheckedCell]
  private let keys: [CellKey]
  private var memory: [CheckRow] = []
  private let stopwatch = Stopwatch()
  private var generator: SeededGenerator
  /// Returns a function that starts the workers of one of the two builds. `nil` starts that build's executable.
  private let launchers: ((DuetSide) -> WorkerLauncher<SampleRequest<Work>>)?

  init(
    _ options: AgainstOptions<Work>, base: OtherBuild, candidates: [URL] = [WorkerCommand.executable],
    cells subjects: [CellKey], remarks: [String], record: CSVWriter<DuetRound>? = nil,
    launchers: ((DuetSide) -> WorkerLauncher<SampleRequest<Work>>)? = nil
  ) {
    self.options = options
    self.base = base
    self.candidates = candidates
    self.record = record
    placement = options.measure.placement
    self.launchers = launchers
    self.remarks =
      remarks
      + (placement == .anywhere
        ? [
          "Workers are not pinned to a processor, so times vary more: taskset and chrt are missing or not permitted."
        ]
        : [])
    // To save time, only one random contender of a scenario has the two controls, and at most a quarter of all comparisons have them.
    var generator = SeededGenerator(seed: options.seed)
    let drawn = options.scenarios.compactMap { scenario in
      subjects.filter { $0.scenario == scenario.name }.randomElement(using: &generator)
    }.shuffled(using: &generator).prefix((subjects.count + 3) / 4)
    let all =
      subjects.map { CheckedCell($0, level: options.level) }
      + drawn.flatMap { key in
        [.control, .positiveControl].map { CheckedCell(key, $0, level: options.level) }
      }
    keys = all.map(\.measuredKey)
    cells = all.keyed { ($0.measuredKey, $0) }
    self.generator = generator
  }

  var announcement: String {
    "\(Plural.counted(keys.count { cells[$0]?.role == .subject }, "comparison")) and \(Plural.counted(keys.count { cells[$0]?.role != .subject }, "control")), \(measure), "
      + "within \(options.budgetNanoseconds / 1_000_000_000) s; a round is dropped for both builds if \(dropRule.steal)"
  }

  func report(_ conditions: [String] = []) -> CheckReport {
    CheckReport(
      keys.compactMap { cells[$0] },
      CheckReport.DuetTerms {
        ($0.base, $0.candidate, $0.measure) = (base.name, "this build", measure)
        $0.margin = options.margin
        $0.fewestPairs = options.test.rule.fewestPairs
        $0.seconds = stopwatch.seconds
        $0.dropRule = dropRule.steal
        ($0.remarks, $0.conditions, $0.notLookedAt) = (remarks, conditions, options.notLookedAt)
        $0.layouts = candidates.count
      },
      memory: memory)
  }

  private var measure: String { options.measure.name(at: placement) }

  func run() throws {
    // A third of the budget is reserved to measure changes again.
    try measure(keys, until: options.budgetNanoseconds / 3 * 2, seed: options.seed)
    try confirm(seed: options.seed &+ 1)
    // Undecided comparisons get the remaining time. Those that then seem changed are measured again, too.
    let undecided = keys.filter { cells[$0]?.isUndecided == true }
    try measure(undecided, until: options.budgetNanoseconds, seed: options.seed &+ 2)
    try confirm(seed: options.seed &+ 3)
    try compareMemory()
  }

  /// The timeout of a post (an upload job). With slower posts, nothing could be decided within the budget.
  private var timeoutNanoseconds: UInt64 { options.budgetNanoseconds / 8 }

  private var interrupted: Interrupted {
    Interrupted(
      "nothing was compared" + (record.map { "; the rounds measured so far are in \($0.path)" } ?? ""))
  }

  /// Compares how much memory each build uses, in those scenarios that need much of it.
  private func compareMemory() throws {
    for cell in keys.compactMap({ cells[$0] }) where cell.role == .subject && cell.state != .failed {
      guard let work = options.scenarios.first(where: { $0.name == cell.key.scenario })?.forMemory else {
        continue
      }
      var bytes: [DuetSide: [Int]] = [.base: [], .candidate: []]
      for _ in 0..<Self.memoryProcesses {
        for side in DuetSide.allCases {
          let pool = WorkerPool(launcher(side), isInterrupted: { Interruption.isRequested })
          defer { pool.stop() }
          let request = SampleRequest(scenario: work, iterations: 1, purpose: .memory)
          guard let reply = pool.ask(cell.participant.name, request) else { throw interrupted }
          if let held = reply.inFlightBytes { bytes[side]?.append(held) }
        }
      }
      memory += [CheckRow(bytesOf: cell.key, base: bytes[.base]!, candidate: bytes[.candidate]!)]
        .compactMap(\.self)
    }
  }

  private func confirm(seed: UInt64) throws {
    let doubtful = keys.filter { cells[$0]?.wantsConfirmation == true }
    for key in doubtful { cells[key]?.beginConfirmation() }
    try measure(doubtful, until: options.budgetNanoseconds, seed: seed)
  }

  /// - Parameter end: the end of the measurement, in nanoseconds since the session started.
  private func measure(_ keys: [CellKey], until end: UInt64, seed: UInt64) throws {
    let spent = stopwatch.nanoseconds
    let plan = DuetPlan(keys, of: options.scenarios) { plan in
      plan.measure = options.measure
      plan.budgetNanoseconds = end > spent ? end - spent : 0
      plan.timeoutNanoseconds = timeoutNanoseconds
      plan.dropRule = dropRule
      plan.seed = seed
    }
    let duet = Duet(
      plan: plan, base: launcher(.base), candidate: launcher(.candidate),
      isInterrupted: { Interruption.isRequested }, listen: hear)
    if try duet.run() == .interrupted { throw interrupted }
  }

  private func launcher(_ side: DuetSide) -> WorkerLauncher<SampleRequest<Work>> {
    launchers?(side)
      ?? DuetLauncher(
        side: side, executable: drawExecutable, measure: options.measure, slowDown: options.margin,
        injected: options.injected, placement: placement,
        budgetNanoseconds: max(timeoutNanoseconds, 10_000_000_000),
        workerOption: options.subjects.workerOption,
        controls: Dictionary(
          cells.values.map { ($0.participant.name, $0.participant) }, uniquingKeysWith: { first, _ in first })
      ).launch
  }

  func drawExecutable(of side: DuetSide) -> URL {
    (side == .base ? base.executables : candidates).randomElement(using: &generator)!
  }

  private func hear(_ event: DuetEvent) throws -> Bool {
    switch event {
    case .success(let pair):
      let key = CellKey(contender: pair.contender, scenario: pair.scenario)
      try write(pair, of: key)
      return cells[key]?.add(
        base: pair.base, candidate: pair.candidate, disturbed: pair.disturbed, options.test) ?? true
    case .failure(let failure):
      let key = CellKey(contender: failure.contender, scenario: failure.scenario)
      let advice = failure.outcome == .timedOut ? "; give a longer --budget to allow more time" : ""
      cells[key]?.fail("of \(failure.side == .base ? base.name : "this build"): \(failure.reason)\(advice)")
      return true
    }
  }

  private func write(_ pair: DuetPair, of key: CellKey) throws {
    guard let record, let cell = cells[key] else { return }
    for (base, candidate) in zip(pair.base, pair.candidate) {
      try record.append(
        DuetRound {
          $0.contender = cell.key.contender
          $0.scenario = key.scenario
          $0.role = cell.role
          $0.stage = cell.confirmation == nil ? .first : .confirmation
          $0.pair = pair.number
          $0.baseNanoseconds = base
          $0.candidateNanoseconds = candidate
        })
    }
  }
}

extension DuetMeasure {
  /// The processors and the priority with which times repeat best. `.anywhere` if this machine does not permit them.
  var placement: Placement {
    let best: Placement =
      self == .wall ? .realTime : Placement.lastProcessor.map(Placement.oneProcessor) ?? .anywhere
    return best.isPermitted ? best : .anywhere
  }

  /// Example: `processor time on processor 1`.
  func name(at placement: Placement) -> String {
    let what = self == .cost ? "processor time" : "time on the clock"
    return switch placement {
    case .oneProcessor(let number), .inTurn(let number): "\(what) on processor \(number)"
    case .realTime: "\(what) at real-time priority"
    case .anywhere, .processors: what
    }
  }
}

extension CheckedCell {
  fileprivate var participant: DuetParticipant { DuetParticipant(contender: key.contender, role: role) }

  fileprivate var measuredKey: CellKey { CellKey(contender: participant.name, scenario: key.scenario) }
}

/// A contender in a check, or one of its two controls.
struct DuetParticipant: Hashable {
  let contender: String
  var role = DuetRound.Role.subject

  var name: String { contender + (role.name.map { " (\($0))" } ?? "") }
}

/// Starts the workers of one side of a check: the base (the other build) or the candidate (this build).
///
/// In the A/A control, both sides run the candidate, so any difference is a false alarm. In the positive control, one side runs it slowed
/// down; a check that misses this slow-down would miss others.
struct DuetLauncher<Work: Workload> {
  let side: DuetSide
  let executable: (DuetSide) -> URL
  let measure: DuetMeasure
  let slowDown: Double
  let injected: InjectedSlowDown?
  let placement: Placement
  let budgetNanoseconds: UInt64
  var workerOption = "--contender"

  var controls: [String: DuetParticipant] = [:]

  func launch(contender name: String, _ work: Work) throws(WorkerFailure) -> any WorkerHandle<
    SampleRequest<Work>
  > {
    let participant = controls[name] ?? DuetParticipant(contender: name)
    let isBase = side == .base && participant.role == .subject
    let options = options(for: participant)
    let launch: WorkerLauncher<SampleRequest<Work>> = WorkerCommand.launcher(
      of: executable(isBase ? .base : .candidate), placement: placement,
      budgetNanoseconds: budgetNanoseconds, options: { [options] _ in options })
    return try launch(participant.contender, work)
  }

  /// The options of a worker. Both builds get the same option names, because the strings of an option move later heap allocations. With an
  /// option for 0.1 % slow-down in one build only, its `callbacks` became 2 % faster.
  func options(for participant: DuetParticipant) -> [String] {
    var share = 0.0
    if side == .candidate {
      switch participant.role {
      case .subject where injected?.contenders?.contains(participant.contender) ?? true:
        share = injected?.share ?? 0
      case .positiveControl: share = slowDown
      default: break
      }
    }
    var options = [workerOption, participant.contender, "--slow-down-\(measure.rawValue)", "\(share)"]
    if participant.role == .subject, let scenarios = injected?.scenarios {
      options += ["--slow-down-in", scenarios.sorted().joined(separator: ",")]
    }
    return options
  }
}

/// A deliberate slow-down, which tests whether a check finds slow-downs.
struct InjectedSlowDown: Hashable {
  let share: Double
  let contenders: Set<String>?
  let scenarios: Set<String>?
}
