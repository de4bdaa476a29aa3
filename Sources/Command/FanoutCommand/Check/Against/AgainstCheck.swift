import Foundation
import Harness
import Results
import Statistics
import UploadScenario
import Verdicts

/// Checks whether this build costs more than another build. Both builds are measured now, with interleaved samples.
enum AgainstCheck: SubjectCheck {
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport {
    let options = try AgainstOptions(options, subjects)
    try UsageError.checkBuild(.check, allowsDebug: options.allowsDebugBuild)
    // The system may refuse this request, so it comes before the other commit is built, which takes long.
    let awake = try Awake.request(options.isAwake)
    defer { awake?.end() }
    if let path = options.recordPath, FileManager.default.fileExists(atPath: path) {
      throw ResultsError.exists(path: path, option: DuetRound.option)
    }
    if options.layouts > 1 { try Layouts.refuseIfImpossible() }
    let base = try OtherBuild(
      options.against, allowsDirty: options.allowsDirty && options.layouts == 1, layouts: options.layouts,
      progress: output.progress)
    // With `--layouts`, HEAD is built several times in place of this build, so the work tree must be clean.
    let candidates =
      options.layouts > 1
      ? try OtherBuild("HEAD", layouts: options.layouts, progress: output.progress).executables
      : [WorkerCommand.executable]
    let known = subjects.known(base)
    let cells = subjects.cells(
      of: options.contenders.filter(known.contenders.contains),
      in: options.scenarios.filter { known.works.contains($0.name) })
    guard !cells.isEmpty else {
      throw BaselineProblem(
        "\(base.name) has none of these contenders and \(subjects.noun)s: name some that both builds have.")
    }
    if let name = options.named.first(where: { !known.contenders.union(known.works).contains($0) }) {
      throw BaselineProblem(
        "\(base.name) does not have \(name), so it cannot be compared: name what both builds have.")
    }
    let remarks = Self.remarks(options, base, known)
    for remark in remarks { output.progress(remark) }
    let record = try options.recordPath.map(CSVWriter<DuetRound>.init(creating:))
    let session = DuetSession(
      options, base: base, candidates: candidates, cells: cells, remarks: remarks, record: record)
    output.progress(session.announcement)
    let conditions = RunConditions()
    try session.run()
    try record?.close()
    return session.report(conditions.lines)
  }

  private static func remarks<Work>(
    _ options: AgainstOptions<Work>, _ base: OtherBuild,
    _ known: (contenders: Set<String>, works: Set<String>)
  ) -> [String] {
    let lacking =
      options.scenarios.map(\.name).filter { !known.works.contains($0) }
      + options.contenders.filter { !known.contenders.contains($0) }
    var remarks = [BuildAge.remark].compactMap(\.self)
    if !lacking.isEmpty {
      remarks.append("Left out, because \(base.name) lacks it: \(lacking.joined(separator: ", ")).")
    }
    if options.layouts > 1 {
      remarks.append(
        "Each build was linked \(options.layouts) times, with its functions in a different order each time.")
    }
    if FileManager.default.contentsEqual(atPath: base.executable.path, andPath: WorkerCommand.executable.path)
    {
      remarks.append("Both builds are the same, byte for byte.")
    }
    if options.isAwake { remarks.append("Processors were kept awake (--awake).") }
    if let injected = options.injected {
      remarks.append(
        "--plant makes this build slower by \((injected.share * 1_000).rounded() / 10) % on purpose.")
    }
    return remarks
  }
}

/// `--layouts` links a commit several times with different orders of functions, because a loop's address can change its time by 1 or 2 %
/// (Mytkowicz et al., “Producing Wrong Data…”, ASPLOS 2009; Curtsinger and Berger, “STABILIZER”, ASPLOS 2013).
enum Layouts {
  static let option = Option(
    "--layouts", "N",
    "link each build N times, with its functions in different orders, so that their addresses cause no false slow-down (1)"
  )

  /// The compiler options that let the linker move each function separately.
  static let compilerOptions = [
    "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
  ]

  static func linkerOptions(seed: Int) -> [String] { ["-Xlinker", "--shuffle-sections=.text*=\(seed)"] }

  static func refuseIfImpossible() throws {
    #if os(Linux)
      if try Tool.run("ld.lld", ["--version"], timeout: .seconds(20)).status == 0 { return }
      let lacking = "ld.lld, which Swift's toolchains include, is not on the path"
    #else
      let lacking = "this platform's linker cannot"
    #endif
    throw UsageError(
      "--layouts needs a linker that can reorder code: \(lacking). Without it, a difference below 2 % may come from the order of the code."
    )
  }
}

extension AgainstCheck {
  static let scenarios = Option(
    "--scenario", "A,B",
    "scenarios to measure, by name or glob, as `\(CommandName.current) list` shows them (\(CheckSubjects<Scenario>.usualScenarios.joined(separator: ", ")))"
  )

  static func options(works: [Option]) -> [Option] {
    [
      Option("--against", "BUILD", "the other build: an executable, or a commit, which is built first"),
      Option("--contenders", "A,B", "contenders to check, by name or glob (those that a run measures)"),
    ] + works + [
      Option("--measure", "cost|wall", "compare processor time, or time on the clock (cost)"),
      Option(
        "--margin", "SHARE",
        "the smallest slow-down that must be found (3% of processor time, 5% of time on the clock)"),
      Option("--budget", "TIME", "approximate upper limit, without building (120s)"),
      ScenarioOptions.seed,
      Option("--plant", "SHARE", "inject a slow-down of this size into this build, to test the check"),
      Option("--plant-in", "A,B", "limit --plant to these contenders or scenarios (all)"),
      Layouts.option,
      Option("--record", "FILE", "write every round's times to this new CSV file"),
      Awake.option,
      Option("--allow-dirty", nil, "check a work tree with uncommitted changes"),
      Option("--allow-debug-build", nil, "check with a debug build"),
    ]
  }
}

struct AgainstOptions<Work: Workload> {
  let against: String
  let subjects: CheckSubjects<Work>
  let contenders: [String]
  let scenarios: [Work]
  /// The contenders and scenarios that the user named. The check fails if the other build lacks one.
  let named: [String]
  private let isNamed: Bool
  let measure: DuetMeasure
  let margin: Double
  let budgetNanoseconds: UInt64
  let seed: UInt64
  let injected: InjectedSlowDown?
  let recordPath: String?
  let layouts: Int
  let isAwake: Bool
  let allowsDirty: Bool
  let allowsDebugBuild: Bool

  init(_ options: Options, _ subjects: CheckSubjects<Work>) throws {
    self.subjects = subjects
    against = try Self.build(options.text("--against") ?? "")
    contenders = try subjects.named(by: options) ?? subjects.usualContenders
    seed = try options.seed("--seed") ?? 1
    scenarios = try subjects.works(options.list(subjects.option), seed)
    isNamed = options.has(subjects.option)
    named =
      (options.has("--contenders") ? contenders : [])
      + (options.has(subjects.option) ? scenarios.map(\.name) : [])
    measure = try options.choice("--measure") ?? .cost
    margin = try options.margin("--margin") ?? (measure == .cost ? 0.03 : 0.05)
    injected = try Self.injected(options, contenders, scenarios.map(\.name))
    budgetNanoseconds = try options.duration("--budget") ?? 120_000_000_000
    recordPath = options.text("--record")
    layouts = try options.integer("--layouts", in: 1...64) ?? 1
    isAwake = options.has(Awake.option.name)
    allowsDirty = options.has("--allow-dirty")
    allowsDebugBuild = options.has("--allow-debug-build")
  }

  /// Rejects a text that git would take for an option.
  private static func build(_ text: String) throws -> String {
    guard text.isEmpty || text.hasPrefix("-") else { return text }
    throw UsageError("--against “\(text)”: give the other build, an executable or a commit such as HEAD~1.")
  }

  private static func injected(_ options: Options, _ contenders: [String], _ scenarios: [String]) throws
    -> InjectedSlowDown?
  {
    let names = try options.list("--plant-in")
    guard let share = try options.margin("--plant") else {
      if names != nil { throw UsageError("--plant-in needs --plant, the size of the slow-down.") }
      return nil
    }
    for name in names ?? [] where !contenders.contains(name) && !scenarios.contains(name) {
      throw UsageError.unknown("contender or scenario", name, among: contenders + scenarios)
    }
    func chosen(_ known: [String]) -> Set<String>? {
      let named = Set(names ?? []).intersection(known)
      return named.isEmpty ? nil : named
    }
    return InjectedSlowDown(share: share, contenders: chosen(contenders), scenarios: chosen(scenarios))
  }

  /// What this check does not measure, each with the option that adds it.
  var notLookedAt: [String] {
    subjects.notLookedAt(isNamed, measure)
      + (margin > 0.01 ? ["changes below \((margin * 1_000).rounded() / 10) % (`--margin 1%`)"] : [])
  }

  /// The part of the samples to compare, which repeats best: the faster half of wall times, the fastest quarter of CPU times.
  var level: SampleLevel { measure == .cost ? .lowQuarter : .lowHalf }

  var test: SequentialTest { SequentialTest(margin: margin) }
}
