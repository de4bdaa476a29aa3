import Results
import UploadScenario

struct RunOptions {
  static let options =
    ScenarioOptions.options
    + [
      Option("--reference", "NAME", "contender that ratios and overheads are relative to (callbacks)"),
      Option(
        "--with-controls", nil,
        "add the reference three more times, unchanged, 5 % and 10 % slower, to test the verdicts"),
      Shard.option,
    ].titled(ScenarioOptions.measured)
    + [
      Option(
        "--quick", nil,
        "a quick run: two generations of four core scenarios, in about ten seconds, or longer on a busy machine until each has enough rounds"
      ),
      Option(
        "--full", nil,
        "all scenarios that answer different questions, and with --endpoint that of a server: give a --budget of several minutes"
      ),
      Option("--patience", "TIME", "timeout of a post (longer than any working contender takes)"),
    ].titled(RecordingOptions.duration)
    + [Reporting.details].titled(RecordingOptions.output)
    + RecordingOptions.options(.run)

  /// Rarely used options, which only `--help all` shows.
  static let seldom = Set(options.map(\.name)).subtracting([
    "--contenders", "--patterns", "--scenario", "--on", "--fan-out", "--limit", "--service", "--media",
    "--payload", "--latency", "--prepare", "--fail-at", "--failure-rate", "--cancel-after", "--quick",
    "--full", "--budget", "--samples", "--generations", "--details", "--output", "--name", "--quiet",
    "--format", "--reference",
  ])

  let contenders: [any Contender]
  /// With `--shard`, only the shard's scenarios, possibly none.
  let scenarios: [Scenario]
  let reference: String
  let controls: [Control]
  let recording: RecordingOptions
  let shard: ShardRecord?

  init(_ arguments: [String], known: ContenderList) throws {
    let options = try Options(arguments, known: Self.options)
    let isQuick = options.has("--quick")
    let chosen = try known.chosen(by: options)
    let wanted =
      try options.has("--full") ? ScenarioOptions.full(options) : ScenarioOptions.scenarios(options)
    let scenarios = wanted ?? (isQuick ? Catalog.quick : Catalog.standard)
    if let wanted, !options.has("--full") { try chosen.checkThatAllAreWritten(wanted) }
    let named = try options.list("--contenders") ?? []
    contenders = chosen.filter { contender in scenarios.contains(where: contender.writes) }
    for contender in chosen where named.contains(contender.name) {
      if !scenarios.contains(where: contender.writes) { throw UsageError(contender.abilities) }
    }
    for scenario in scenarios { contenders.remarkAbstentions(from: scenario) }
    guard !contenders.isEmpty else {
      throw UsageError(
        "none of \(chosen.map(\.name).joined(separator: ", ")) takes part in any of the scenarios.")
    }
    reference = try Self.reference(options, contenders: contenders.map(\.name), known)
    controls = options.has("--with-controls") ? Control.all(of: reference) : []
    let all = scenarios.filter { !chosen.writing($0).isEmpty }
    shard = try options.text("--shard").map { try Shard($0).record(all) { chosen.writing($0).count } }
    let own = shard.map { Set($0.scenarios[$0.number - 1]) }
    // Calibration measures this machine, so it follows the division into shards, which must be equal on all machines.
    self.scenarios = try all.filter { own?.contains($0.name) ?? true }.map { try $0.calibrated() }
    recording =
      isQuick
      ? try RecordingOptions(options, .run, budgetNanoseconds: 10_000_000_000, generations: 2)
      : try RecordingOptions(options, .run)
  }

  var participants: [String: [String]] {
    var all = contenders.participants(in: scenarios)
    for (scenario, names) in all where names.contains(reference) {
      all[scenario] = names + controls.map(\.name)
    }
    for scenario in scenarios {
      if scenario.hasServiceDriver { all[scenario.name]?.append(ExternalBaseline.service) }
    }
    return all
  }

  /// By default, the reference is the first known contender, or if that one is not measured, the first measured one.
  private static func reference(_ options: Options, contenders: [String], _ known: ContenderList) throws
    -> String
  {
    let usual = contenders.first { $0 == known.all.first?.name } ?? contenders[0]
    guard let given = options.text("--reference") else { return usual }
    let reference = try known.aliases.name(given, among: known.all.map(\.name))
    guard contenders.contains(reference) else {
      throw UsageError("--reference \(reference) is not measured: add it to --contenders.")
    }
    return reference
  }
}

/// The reference under another name: unchanged (A/A control), or slowed down (positive control), which the verdict must find.
struct Control: Sendable, CustomStringConvertible {
  let contender: String
  let slowDownPercent: Int

  static func all(of contender: String) -> [Control] {
    [0, 5, 10].map { Control(contender: contender, slowDownPercent: $0) }
  }

  /// Example: `callbacks+5`.
  var name: String { "\(contender)+\(slowDownPercent)" }

  var description: String {
    slowDownPercent == 0
      ? "\(contender) itself"
      : "\(contender), every sample made \(slowDownPercent) % longer on the clock and in processor time"
  }

  var workerOptions: [String] {
    let slowDown = slowDownPercent == 0 ? [] : ["--slow-down", "\(Double(slowDownPercent) / 100)"]
    return ["--contender", contender] + slowDown
  }
}
