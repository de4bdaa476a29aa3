import Results
import RuntimeOperations
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct OptionsTests {
  private let known = [
    Option("--limit", "K", ""), Option("--quiet", nil, ""), Option("--budget", "TIME", ""),
    Option("--output", "DIR", ""), Option("--record", "FILE", "", usually: "usual"),
  ]

  @Test func `a value follows its option or an equals sign`() throws {
    let options = try Options(["--limit", "3", "--quiet", "--budget=5s"], known: known)
    #expect(try options.integer("--limit", in: 1...10) == 3)
    #expect(options.has("--quiet"))
    #expect(try options.duration("--budget") == 5_000_000_000)
  }

  @Test func `an option with a usual value may omit it`() throws {
    let known = [Option("--file", "FILE", "", usually: "usual"), Option("--quiet", nil, "")]
    for (arguments, value) in [
      (["--file"], "usual"), (["--file", "--quiet"], "usual"), (["--file", "other"], "other"),
      (["--file=other"], "other"),
    ] { #expect(try Options(arguments, known: known).text("--file") == value) }
  }

  private static let noTime =
    "give a time above zero, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h."

  @Test(
    arguments: Refusal.table(
      """
      --limt 3 => unknown option “--limt”. Did you mean --limit?
      --zebra => unknown option “--zebra”. Known: --limit, --quiet, --budget, --output, --record.
      limit => unexpected “limit”: options begin with --.
      --limit => --limit needs a value: --limit K.
      --quiet=yes => --quiet takes no value.
      --limit 1 --limit 2 => --limit is given twice.
      --output= => --output is empty: give a path.
      --record '' => --record is empty: give a path.
      """)
      + ["0", "11", "-1", "three", "", "1.5", "99999999999999999999"].map {
        Refusal(arguments: ["--limit", $0], message: "--limit “\($0)”: give a whole number from 1 to 10.")
      }
      + ["0", "-1", "1e300", "inf", "nan", "", "-1s", "0.1ns", "0.0009us", "s", "1d", "1e300s"].map {
        Refusal(arguments: ["--budget", $0], message: "--budget “\($0)”: \(noTime)")
      })
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) {
      let options = try Options($0, known: known)
      _ = try options.integer("--limit", in: 1...10)
      _ = try options.duration("--budget")
    }
  }

  private static let places = "folders of recorded runs, such as results/latest."

  @Test(
    arguments: [
      ([], ["RUN"], "RUN is missing: give the folder of a recorded run, such as results/latest."),
      (["a"], ["BASE", "CANDIDATE"], "CANDIDATE is missing: give BASE and CANDIDATE, \(places)"),
      ([], ["bash|zsh"], "bash|zsh is missing: give bash|zsh."),
      (["a", "b", ""], ["RUN", "RUN…"], "RUN… is empty: give a path."),
    ] as [([String], [String], String)])
  func `a missing or empty operand is named`(arguments: [String], operands: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Options(arguments, known: [], operands: operands) }
    #expect(error.map { "\($0)" } == message)
  }

  @Test(arguments: [
    ("500us", 500_000), ("20ms", 20_000_000), ("1.5s", 1_500_000_000), ("2m", 120_000_000_000),
    ("30", 30_000_000_000), ("0.5", 500_000_000),
  ])
  func `a duration has a unit, and a number alone is seconds`(text: String, nanoseconds: UInt64) throws {
    #expect(try Options(["--budget", text], known: known).duration("--budget") == nanoseconds)
  }

  @Test(arguments: [
    ("512", 512 as Int?), ("64KiB", 65_536), ("3MiB", 3_145_728), ("0", 0), ("-1", nil), ("1TB", nil),
    ("9999GiB", nil), ("", nil),
  ])
  func `a size has a binary unit`(text: String, bytes: Int?) {
    #expect((try? Options(["--limit", text], known: known).bytes("--limit")) == bytes)
  }
}

@Suite(.ownThread) struct BenchmarksOptionsTests {
  private let known = BenchmarkTable([
    RuntimeContender(
      name: "reference", summary: "", implementations: [.zip3: { $0 }, .merge: { $0 }, .mapChain: { $0 }]),
    RuntimeContender(name: "streams", summary: "", implementations: [.zip3: { $0 }, .merge: { $0 }]),
    RuntimeContender(name: "futures", summary: "", implementations: [.mapChain: { $0 }]),
  ])

  @Test(
    arguments: [
      (
        [],
        [
          "zip3": ["reference", "streams"], "merge-100x1000": ["reference", "streams"],
          "map-chain-1000": ["reference", "futures"],
        ]
      ),
      (["--contenders", "futures"], ["map-chain-1000": ["reference", "futures"]]),
      (["--operations", "zip3"], ["zip3": ["reference", "streams"]]),
    ] as [([String], [String: [String]])])
  func `every chosen operation is measured with its contenders, beside the reference`(
    arguments: [String], participants: [String: [String]]
  ) throws {
    let options = try BenchmarksOptions(arguments, known: known)
    #expect(options.participants == participants)
    #expect(options.cases.map(\.name) == known.cases.map(\.name).filter { participants[$0] != nil })
    #expect(Set(options.contenders) == Set(participants.values.joined()))
  }

  @Test func `an operation that needs gigabytes is measured only if it is named`() throws {
    let known = BenchmarkTable(
      ["reference", "coroutines"].map {
        RuntimeContender(
          name: $0, summary: "", implementations: [.suspended: { $0 }, .suspendedMillion: { $0 }])
      })
    #expect(try BenchmarksOptions([], known: known).cases.map(\.name) == ["suspended-100000"])
    #expect(
      try BenchmarksOptions(["--operations", "suspended-1000000"], known: known).cases.map(\.name)
        == ["suspended-1000000"])
  }

  @Test(
    arguments: Refusal.table(
      """
      --operations zip4 => unknown operation “zip4”. Did you mean zip3?
      --contenders stream => unknown contender “stream”. Did you mean streams?
      --operations zip3 --contenders futures => none of futures implements zip3: `\(CommandName.current) list` shows the contenders of each operation.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try BenchmarksOptions($0, known: known) }
  }
}

@Suite(.ownThread) struct AgainstOptionsTests {
  private func checked(_ arguments: [String]) throws -> AgainstOptions<Scenario> {
    try AgainstOptions(
      Options(arguments, known: CheckCommand.ofUploads.options),
      CheckSubjects(uploads: ContenderList([Named("a"), Named("b")], variants: [Named("a/x")])))
  }

  @Test func `a check measures CPU time with a margin of 3 % by default`() throws {
    let options = try checked(["--against", "HEAD~1"])
    #expect(options.contenders == ["a", "b"])
    #expect(options.scenarios.map(\.name) == ["publish-instant-100", "publish-instant-1000"])
    #expect(options.layouts == 1)
    #expect(options.measure == .cost)
    #expect(options.margin == 0.03)
    #expect(try checked(["--against", "x", "--measure", "wall"]).margin == 0.05)
  }

  @Test func `a check names what it leaves out, and the option that adds it`() throws {
    let wall = "time on the clock, with all processors (`--measure wall`)"
    let patterns = [
      "10 000 uploads (`--scenario publish-instant-10000`)",
      "other patterns (`--scenario race-instant-100`, and so on)",
    ]
    func small(_ margin: String) -> String { "changes below \(margin) % (`--margin 1%`)" }
    #expect(try checked(["--against", "x"]).notLookedAt == patterns + [wall, small("3.0")])
    #expect(
      try checked(["--against", "x", "--scenario", "zip-instant-3"]).notLookedAt == [wall, small("3.0")])
    #expect(try checked(["--against", "x", "--measure", "wall"]).notLookedAt == patterns + [small("5.0")])
    #expect(try checked(["--against", "x", "--margin", "1%"]).notLookedAt == patterns + [wall])
  }

  @Test(arguments: [("5%", 0.05), ("0.05", 0.05), ("0.1%", 0.001), ("100%", 1)])
  func `a margin is a share or a percentage`(text: String, margin: Double) throws {
    #expect(abs(try checked(["--against", "x", "--margin", text]).margin - margin) < 1e-12)
  }

  @Test(arguments: ["", "-x", "--", "--margin"])
  func `text that cannot name a build is refused`(text: String) {
    let error = #expect(throws: UsageError.self) { try checked(["--against", text]) }
    #expect(
      error?.description
        == "--against “\(text)”: give the other build, an executable or a commit such as HEAD~1."
    )
  }

  @Test func `a slow-down is injected everywhere or where the options say`() throws {
    func plant(_ arguments: String...) throws -> InjectedSlowDown? {
      try checked(["--against", "x"] + arguments).injected
    }
    #expect(try plant() == nil)
    #expect(try plant("--plant", "5%") == InjectedSlowDown(share: 0.05, contenders: nil, scenarios: nil))
    #expect(
      try plant("--plant", "5%", "--plant-in", "b")
        == InjectedSlowDown(share: 0.05, contenders: ["b"], scenarios: nil))
    #expect(
      try plant("--plant", "5%", "--plant-in", "a,publish-instant-100")
        == InjectedSlowDown(share: 0.05, contenders: ["a"], scenarios: ["publish-instant-100"]))
  }

  @Test(
    arguments: Refusal.table(
      """
      --plant-in a => --plant-in needs --plant, the size of the slow-down.
      --plant 5% --plant-in zebra => unknown contender or scenario “zebra”. Known: a, b, publish-instant-100, publish-instant-1000.
      --margin 0 => --margin “0”: give a share from 0.1% to 100%, such as 3%.
      --margin nan => --margin “nan”: give a share from 0.1% to 100%, such as 3%.
      --margin 300% => --margin “300%”: give a share from 0.1% to 100%, such as 3%.
      --measure walls => unknown measure “walls”. Did you mean wall?
      --scenario publish-instant-101 => unknown scenario “publish-instant-101”. Did you mean publish-instant-10?
      --contenders zebra => unknown contender “zebra”. Known: a, b, a/x.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try checked(["--against", "x"] + $0) }
  }
}

@Suite(.ownThread) struct DoctorOptionsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c")], variants: [Named("c/x")])

  @Test(
    arguments: [
      ([], ["a", "c"]), (["--contenders", "b"], ["b"]), (["--contenders", "a,b,c/x"], ["a", "b", "c/x"]),
    ] as [([String], [String])])
  func `the first and last contender are examined unless some are named`(arguments: [String], names: [String])
    throws
  {
    #expect(try DoctorOptions(arguments, CheckSubjects(uploads: known)).contenders == names)
  }

  @Test func `contenders without the checked patterns are not examined`() throws {
    #expect(try DoctorOptions([], CheckSubjects(uploads: ContenderList([Named("a")]))).contenders == ["a"])
    let known = ContenderList([Named("a", [.zip]), Named("b"), Named("c"), Named("d"), Named("e", [.race])])
    #expect(try DoctorOptions([], CheckSubjects(uploads: known)).contenders == ["b", "d"])
    #expect(try DoctorOptions(["--contenders", "a,c"], CheckSubjects(uploads: known)).contenders == ["c"])
    let error = #expect(throws: UsageError.self) {
      try DoctorOptions(["--contenders", "a,e"], CheckSubjects(uploads: known))
    }
    #expect(
      error?.description
        == "none of a, e implements what a check measures: publish-instant-100, publish-instant-1000.")
  }

  @Test func `the doctor takes 18 seconds and measures CPU time by default`() throws {
    let options = try DoctorOptions([], CheckSubjects(uploads: known))
    #expect(options.budgetNanoseconds == 18_000_000_000)
    #expect(options.measure == .cost)
    #expect(options.format.name == "text")
  }

  @Test(
    arguments: Refusal.table(
      """
      --format github => unknown format “github”. Known: text, markdown, json.
      --measure walls => unknown measure “walls”. Did you mean wall?
      --contenders zebra => unknown contender “zebra”. Known: a, b, c, c/x.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try DoctorOptions($0, CheckSubjects(uploads: known)) }
  }

  private func readings(failures: [String] = []) -> DoctorReadings {
    DoctorReadings {
      $0.isReleaseBuild = true
      $0.harnessOverheadNanoseconds = 1
      $0.failures = failures
      $0.seconds = 1
    }
  }

  @Test func `a debug build is refused`() {
    guard !Environment.isReleaseBuild else { return }
    let error = #expect(throws: UsageError.self) {
      try DoctorCommand.run([], among: ContenderList([Named("a")]))
    }
    #expect(error?.description.hasPrefix("this is a debug build, whose times mean nothing.") == true)
    #expect(error?.description.contains("--allow-debug-build") == true)
  }

  @Test func `unknown readings are inconclusive and a failed contender is a failure`() {
    #expect(DoctorCommand.exitCode(DoctorReport(readings(failures: ["a: died"]))) == .contenderFailed)
    #expect(DoctorCommand.exitCode(DoctorReport(readings())) == .inconclusive)
  }
}
