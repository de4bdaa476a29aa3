import Foundation
import Harness
import Results
import UploadScenario
import Verdicts

/// One check: the cells and the controls that prove it, measured until all is decided; then what regressed, once more.
final class DuetSession<Work: Workload> {
  /// Fresh processes of each build for a cell whose memory is compared.
  private static var memoryProcesses: Int { 5 }

  private let options: AgainstOptions<Work>
  private let base: OtherBuild
  private let candidates: [URL]
  private let record: CSVWriter<DuetRound>?
  private let dropRule = DropRule()
  private let placement: Placement
  private let remarks: [String]
  /// By the names of their participants.
  private var cells: [CellKey: CheckedCell]
  private let keys: [CellKey]
  /// What processes held of memory.
  private var memory: [CheckRow] = []
  private let stopwatch = Stopwatch()
  private var generator: SeededGenerator
  /// What starts the workers of either side; nil: those of both builds.
  private let launchers: ((DuetSide) -> WorkerLauncher<SampleRequest<Work>>)?

  init(
    _ options: AgainstOptions<Work>, base: OtherBuild, candidates: [URL] = [WorkerCommand.executable],
    cells subjects: [CellKey], remarks: [String],
    record: CSVWriter<DuetRound>? = nil,
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
        ? ["Nothing is placed, so times repeat less: taskset and chrt are missing here, or not permitted."]
        : [])
    // In every scenario one contender of each kind, of whom the seed draws: some are harder to tell than others. Of scenarios with
    // one contender each, a quarter: proofs are not to take twice as long as what they prove.
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

  /// What is about to be done, and by which rule something will be left out.
  var announcement: String {
    "\(Plural.counted(keys.count { cells[$0]?.role == .subject }, "cell")) and \(Plural.counted(keys.count { cells[$0]?.role != .subject }, "proof")), \(measure), "
      + "within \(options.budgetNanoseconds / 1_000_000_000) s; a round is left out for both builds if \(dropRule.steal)"
  }

  /// With what the machine was like, as far as it bears on the numbers: a line each.
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

  /// - Throws: `Interrupted`, if the user ended it.
  func run() throws {
    // What has changed is measured once more: a third of the budget is kept for that.
    try measure(keys, until: options.budgetNanoseconds / 3 * 2, seed: options.seed)
    try confirm(seed: options.seed &+ 1)
    // What is left of it goes where nothing is decided, and to what is found there.
    let undecided = keys.filter { cells[$0]?.isUndecided == true }
    try measure(undecided, until: options.budgetNanoseconds, seed: options.seed &+ 2)
    try confirm(seed: options.seed &+ 3)
    try compareMemory()
  }

  /// What takes longer is never decided within the budget, and others are to have some of it.
  private var timeoutNanoseconds: UInt64 { options.budgetNanoseconds / 8 }

  private var interrupted: Interrupted {
    Interrupted("nothing was compared" + (record.map { "; the rounds until then are in \($0.path)" } ?? ""))
  }

  /// How much memory each build holds while the work is under way, which pairs of times say nothing of: a row for each
  /// cell that is large enough and whose memory is known.
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

  /// Measures once more what has changed and was not confirmed yet.
  private func confirm(seed: UInt64) throws {
    let doubtful = keys.filter { cells[$0]?.wantsConfirmation == true }
    for key in doubtful { cells[key]?.beginConfirmation() }
    try measure(doubtful, until: options.budgetNanoseconds, seed: seed)
  }

  /// - Parameter end: nanoseconds after the start.
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

  /// Each process is any link of its build.
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
      let advice = failure.outcome == .timedOut ? "; a longer --budget waits longer" : ""
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
  /// Where it repeats best, as far as this machine permits that; found out by trying.
  var placement: Placement {
    let best: Placement =
      self == .wall ? .realTime : Placement.lastProcessor.map(Placement.oneProcessor) ?? .anywhere
    return best.isPermitted ? best : .anywhere
  }

  /// Such as `processor time on processor 1`.
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

  /// What the harness calls the cell.
  fileprivate var measuredKey: CellKey { CellKey(contender: participant.name, scenario: key.scenario) }
}

/// One who takes part in a check: a contender, or one of the two controls that prove the check with it.
struct DuetParticipant: Hashable {
  let contender: String
  var role = DuetRound.Role.subject

  /// What the harness calls it, which tells nothing but names apart.
  var name: String { contender + (role.name.map { " (\($0))" } ?? "") }
}

/// What one side of a check really starts for a participant.
///
/// The A/A control is the candidate on both sides: what is found between them is a false alarm. The positive control is the
/// candidate made slower on one side: what is not found there would not be found elsewhere.
struct DuetLauncher<Work: Workload> {
  let side: DuetSide
  /// Which link of a build the next process is.
  let executable: (DuetSide) -> URL
  let measure: DuetMeasure
  let slowDown: Double
  let injected: InjectedSlowDown?
  let placement: Placement
  /// How long a worker may be silent, unless its work takes longer.
  let budgetNanoseconds: UInt64
  /// What a worker is told whose samples are a contender's.
  var workerOption = "--contender"

  /// Those that are no contenders, by their names.
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

  /// What a worker is told behind its subcommand: both sides the same, but for the share.
  ///
  /// Options become texts on the heap, and what comes after them lies elsewhere: callbacks were 2 % faster with a slow-down
  /// of 0.1 % than without the option.
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

/// A slow-down that is not there, to see what a check makes of it.
struct InjectedSlowDown: Hashable {
  let share: Double
  let contenders: Set<String>?
  let scenarios: Set<String>?
}
