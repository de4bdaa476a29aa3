import Harness
import Results
import Statistics
import UploadScenario
import Verdicts

/// Runs an open-loop test: upload jobs arrive at a rate, even while earlier ones run. Latency counts from the intended start.
enum LoadCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try LoadOptions(arguments, known: known)
    try options.recording.checkBuild()
    _ = try HTTPStore.transport(for: options.scenarios, among: known)
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    defer { awake?.end() }
    let store = try Store(for: options.scenarios)
    defer { store.clean() }
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let session = try LoadSession.measure(
      options, scenarios: store.scenarios, in: directory,
      idioms: known.idiomRecords(of: options.contenders),
      launcher: WorkerCommand.launcher(options: { ["--load", $0] }))
    try write(session)
    Terminal.print(try text(session, options), remains: directory.remains)
    if let code = Interruption.exitCode {
      Terminal.complain(
        "interrupted; \(Plural.counted(session.analysis.windows, "window")) kept in \(directory.path)"
      )
      return code
    }
    let failures = session.analysis.summaries.filter { $0.outcome != .measured }
    for row in failures {
      Terminal.complain(
        "\(row.subject.contender) is not ranked on \(row.subject.scenario): \(row.reason ?? row.outcome.rawValue)"
      )
    }
    return failures.isEmpty ? .fine : .contenderFailed
  }

  private static func write(_ session: LoadSession) throws {
    try session.directory.write(session.analysis.summaries, as: RunDirectory.loadSummaryName)
    try session.directory.write(session.analysis.latencies, as: RunDirectory.latenciesName)
    if !session.analysis.limits.isEmpty {
      try session.directory.write(session.analysis.limits, as: RunDirectory.limitsName)
    }
    try session.directory.write(environment: session.environment)
    let context = ReportContext(environment: session.environment)
    try session.directory.write(session.analysis.document(context).markdown, as: RunDirectory.markdownName)
  }

  private static func text(_ session: LoadSession, _ options: LoadOptions) throws -> String {
    let analysis = session.analysis
    let find = ["\(CommandName.invocation) load --find-limit --slo p99=50ms"]
    let context = ReportContext(
      environment: session.environment,
      nextSteps: Reporting.charts(of: session.directory) + (options.precision == nil ? find : []))
    return try options.recording.format.text(
      Report(
        document: analysis.document(context), json: { try analysis.json(context) },
        csv: { try CSVText.text(analysis.summaries) }))
  }
}

/// Chooses the arrival rate for each window (a few seconds of one contender): a rate that the user gave, or the next one of a search.
final class LoadOffers {
  private let options: LoadOptions
  private let now: () -> UInt64
  private var searches: [CellKey: LimitSearch] = [:]
  private var spentNanoseconds: [CellKey: UInt64] = [:]
  private var offeredAt: UInt64 = 0

  init(_ options: LoadOptions, now: @escaping () -> UInt64) {
    self.options = options
    self.now = now
  }

  /// The rates and durations of a contender's windows in each scenario, in order. Not used by a search.
  private lazy var plan: [LoadOffer] = {
    let rates = options.rates.map { (rate: $0, count: Int(options.windowCount(at: $0))) }
    let passes = rates.map(\.count).max() ?? 0
    return (0..<passes).flatMap { pass in
      var generator = SeededGenerator(seed: SeededGenerator.value(seed: options.recording.seed, index: pass))
      return rates.filter { $0.count > pass }.shuffled(using: &generator).map {
        LoadOffer(
          postsPerSecond: $0.rate, windowNanoseconds: options.durationNanoseconds / UInt64($0.count))
      }
    }
  }()

  /// The number of windows (measurements of a few seconds) of all contenders. `nil` in a search, where it is unknown.
  var total: Int? {
    options.precision == nil
      ? plan.count * options.participants.values.reduce(0) { $0 + $1.count } : nil
  }

  func next(_ cell: CellKey, round: Int) -> LoadOffer? {
    guard let precision = options.precision else { return round < plan.count ? plan[round] : nil }
    let search = searches[cell] ?? LimitSearch(start: start, precision: precision, bounds: bounds)
    searches[cell] = search
    guard let rate = search.next else { return nil }
    let window = options.windowNanoseconds(at: rate)
    guard spentNanoseconds[cell, default: 0] + window <= options.durationNanoseconds else { return nil }
    offeredAt = now()
    return LoadOffer(postsPerSecond: rate, windowNanoseconds: window)
  }

  /// Tells the search whether the contender sustained the rate of the latest window.
  func record(_ finding: LimitSearch.Answer, _ window: TakenWindow) {
    spentNanoseconds[window.cell, default: 0] += now() - offeredAt
    searches[window.cell]?.record(finding, at: window.offer.postsPerSecond)
  }

  func search(of cell: CellKey) -> LimitSearch? { searches[cell] }

  private var bounds: ClosedRange<Double> { options.lowestRate...LoadOptions.rates.upperBound }

  /// The first rate of a search: the user's, or else the lowest one with enough posts in a window of the usual length.
  private var start: Double {
    options.rates.first ?? max(100, options.postsNeeded / (Double(options.windowNanoseconds) / 1e9))
  }
}
