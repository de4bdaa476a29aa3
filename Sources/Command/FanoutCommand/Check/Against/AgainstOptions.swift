import Foundation
import Harness
import Statistics
import UploadScenario

extension AgainstCheck {
  static let scenarios = Option(
    "--scenario", "A,B",
    "in which scenarios, by name or glob, as `\(CommandName.current) list` shows them (\(CheckSubjects<Scenario>.usualScenarios.joined(separator: ", ")))"
  )

  static func options(works: [Option]) -> [Option] {
    [
      Option("--against", "BUILD", "the other build: an executable, or a commit, which is built first"),
      Option("--contenders", "A,B", "contenders to check, by name or glob (whom a run measures)"),
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
      Option("--allow-debug-build", nil, "check although this is a debug build"),
    ]
  }
}

/// What `bench check --against` is told.
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

  /// A third of what must be found is as good as nothing.
  var test: SequentialTest {
    SequentialTest(SequentialTest.Rule(negligible: log1p(margin / 3), relevant: log1p(margin)))
  }
}

extension SampleLevel {
  /// What a check takes. Of a time on the clock, the faster half repeats better; of processor time, on a machine that is
  /// left alone, the quarter.
  init(of measure: DuetMeasure) { self = measure == .cost ? .lowQuarter : .lowHalf }
}
