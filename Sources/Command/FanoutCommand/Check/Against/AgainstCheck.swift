import Foundation
import Harness
import Results
import Statistics
import UploadScenario
import Verdicts

/// Whether this build costs more than another one: both measured interleaved, here and now.
enum AgainstCheck: SubjectCheck {
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport {
    let options = try AgainstOptions(options, subjects)
    try UsageError.checkBuild(.check, allowsDebug: options.allowsDebugBuild)
    // Before the other commit is built: that takes a while.
    let awake = try Awake.request(options.isAwake)
    defer { awake?.end() }
    if let path = options.recordPath, FileManager.default.fileExists(atPath: path) {
      throw ResultsError.exists(path: path, option: DuetRound.option)
    }
    if options.layouts > 1 { try Layouts.refuseIfImpossible() }
    let base = try OtherBuild(
      options.against, allowsDirty: options.allowsDirty && options.layouts == 1, layouts: options.layouts,
      progress: output.progress)
    // Links anew what this build is of; the work tree is clean.
    let candidates =
      options.layouts > 1
      ? try OtherBuild("HEAD", layouts: options.layouts, progress: output.progress).executables
      : [WorkerCommand.executable]
    // What both builds know.
    let known = subjects.known(base)
    let cells = subjects.cells(
      of: options.contenders.filter(known.contenders.contains),
      in: options.scenarios.filter { known.works.contains($0.name) })
    guard !cells.isEmpty else {
      throw BaselineProblem(
        "\(base.name) knows none of these contenders and \(subjects.noun)s: there is nothing to compare.")
    }
    if let name = options.named.first(where: { !known.contenders.union(known.works).contains($0) }) {
      throw BaselineProblem(
        "\(base.name) does not know \(name), so it cannot be compared: ask for what both know.")
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

  /// What is left out, and what is compared that nobody would want to.
  private static func remarks<Work>(
    _ options: AgainstOptions<Work>, _ base: OtherBuild,
    _ known: (contenders: Set<String>, works: Set<String>)
  ) -> [String] {
    let lacking =
      options.scenarios.map(\.name).filter { !known.works.contains($0) }
      + options.contenders.filter { !known.contenders.contains($0) }
    var remarks = [BuildAge.remark].compactMap(\.self)
    if !lacking.isEmpty {
      remarks.append("Left out, because \(base.name) does not know it: \(lacking.joined(separator: ", ")).")
    }
    if options.layouts > 1 {
      remarks.append("Each side is linked \(options.layouts) times, its code in another order each time.")
    }
    if FileManager.default.contentsEqual(atPath: base.executable.path, andPath: WorkerCommand.executable.path)
    {
      remarks.append("Both builds are the same, byte for byte.")
    }
    if options.isAwake { remarks.append("Processors were kept awake (--awake).") }
    if let injected = options.injected {
      remarks.append("This build pretends to be slower by \((injected.share * 1_000).rounded() / 10) %.")
    }
    return remarks
  }
}

/// Links of one commit that differ in nothing but where its code lies.
///
/// Where the linker happens to put a loop can cost it a per cent or two, and two builds are two such places. Code that is put into
/// another order with every link (T. Mytkowicz, A. Diwan, M. Hauswirth and P. F. Sweeney, “Producing Wrong Data Without Doing
/// Anything Obviously Wrong!”, ASPLOS 2009; C. Curtsinger and E. D. Berger, “STABILIZER”, ASPLOS 2013) makes of that an error that
/// pairs average out.
enum Layouts {
  static let option = Option(
    "--layouts", "N",
    "link each side so often, its code in another order each time: what only lies elsewhere is no slow-down (1: as it is)"
  )

  /// So that the linker can move every function by itself.
  static let compilerOptions = [
    "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
  ]

  static func linkerOptions(seed: Int) -> [String] { ["-Xlinker", "--shuffle-sections=.text*=\(seed)"] }

  static func refuseIfImpossible() throws {
    #if os(Linux)
      if try Tool.run("ld.lld", ["--version"], timeout: .seconds(20)).status == 0 { return }
      let lacking = "ld.lld, which Swift's toolchains bring along, is not on the path"
    #else
      let lacking = "this platform's linker cannot"
    #endif
    throw UsageError(
      "--layouts needs a linker that puts code into another order: \(lacking). Without it, a margin below 2 % may be a matter of where code lies."
    )
  }
}

extension AgainstCheck {
  static let scenarios = Option(
    "--scenario", "A,B",
    "in which scenarios, by name or glob, as `\(CommandName.current) list` shows them (\(CheckSubjects<Scenario>.usualScenarios.joined(separator: ", ")))"
  )

  static func options(works: [Option]) -> [Option] {
    [
      Option("--against", "BUILD", "the other build: an executable, or a commit, which is built first"),
      Option("--contenders", "A,B", "contenders to check, by name or glob (those of a run)"),
    ] + works + [
      Option("--measure", "cost|wall", "processor time, or time on the clock (cost)"),
      Option("--margin", "SHARE", "the smallest slow-down that must be found (3% of cost, 5% of wall)"),
      Option("--budget", "TIME", "at most about so long, without building (120s)"),
      ScenarioOptions.seed,
      Option(
        "--plant", "SHARE", "pretend that this build is slower by so much, to see what the check makes of it"),
      Option("--plant-in", "A,B", "only in these contenders or scenarios (in all)"),
      Layouts.option,
      Option("--record", "FILE", "write every round's times to this new CSV file"),
      Awake.option,
      Option("--allow-dirty", nil, "check although the work tree has changes that no commit has"),
      Option("--allow-debug-build", nil, "check with a debug build"),
    ]
  }
}

/// The options of `bench check --against`.
struct AgainstOptions<Work: Workload> {
  let against: String
  let subjects: CheckSubjects<Work>
  let contenders: [String]
  let scenarios: [Work]
  /// Contenders and scenarios that the user named, which are not passed over.
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

  /// Git would take it for one of its options, and an empty text for nothing.
  private static func build(_ text: String) throws -> String {
    guard text.isEmpty || text.hasPrefix("-") else { return text }
    throw UsageError(
      "--against needs the other build, and “\(text)” is none: give an executable, or a commit such as HEAD~1."
    )
  }

  private static func injected(_ options: Options, _ contenders: [String], _ scenarios: [String]) throws
    -> InjectedSlowDown?
  {
    let names = try options.list("--plant-in")
    guard let share = try options.margin("--plant") else {
      if names != nil { throw UsageError("--plant-in says where: say how much, with --plant.") }
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

  /// What this check says nothing of, each with the option that does.
  var notLookedAt: [String] {
    subjects.notLookedAt(isNamed, measure)
      + (margin > 0.01 ? ["changes below \((margin * 1_000).rounded() / 10) % (`--margin 1%`)"] : [])
  }

  /// What stands for the samples of a pair.
  var level: SampleLevel { SampleLevel(of: measure) }

  var test: SequentialTest { SequentialTest(margin: margin) }
}

extension SampleLevel {
  /// What a check takes. Of a time on the clock, the faster half repeats better; of processor time, on a machine that is
  /// left alone, the quarter.
  init(of measure: DuetMeasure) { self = measure == .cost ? .lowQuarter : .lowHalf }
}
