import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

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
    #expect(
      try DoctorOptions(["--contenders", "a,c"], CheckSubjects(uploads: known)).contenders == ["c"])
    let error = #expect(throws: UsageError.self) {
      try DoctorOptions(["--contenders", "a,e"], CheckSubjects(uploads: known))
    }
    #expect(
      error?.description
        == "none of a, e writes what a check measures: publish-instant-100, publish-instant-1000.")
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
}

@Suite(.ownThread) struct CheckTermsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.zip])], variants: [Named("a/x")])

  private var subjects: CheckSubjects<Scenario> { CheckSubjects(uploads: known) }

  private func usual(_ measure: String) throws -> AgainstOptions<Scenario> {
    try AgainstOptions(
      Options(["--against", "x", "--measure", measure], known: CheckCommand.ofUploads.options), subjects)
  }

  @Test(arguments: ["cost", "wall"])
  func `the doctor's terms are those of a default check`(measure: String) throws {
    let (check, terms) = (
      try usual(measure), try CheckTerms(measure == "cost" ? .cost : .wall, subjects).terms
    )
    #expect(terms.cells == 4)
    #expect(terms.usualMargin == check.margin)
    #expect(terms.budgetSeconds == Double(check.budgetNanoseconds) / 1e9)
    #expect(terms.tests.first { $0.margin == check.margin }?.test == check.test)
  }

  @Test func `margins are tried in ascending order, each with its test`() throws {
    let tests = try CheckTerms(.cost, subjects).terms.tests
    let margins = tests.map(\.margin)
    #expect(margins == Set(margins).sorted())
    #expect(Set(tests.map(\.test)).count == margins.count)
  }
}

@Suite(.ownThread) struct DoctorCommandTests {
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
    #expect(error?.description.hasPrefix("this is a debug build, whose times say nothing.") == true)
    #expect(error?.description.contains("--allow-debug-build") == true)
  }

  @Test func `unknown readings are inconclusive and a failed contender is a failure`() {
    #expect(DoctorCommand.exitCode(DoctorReport(readings(failures: ["a: died"]))) == .contenderFailed)
    #expect(DoctorCommand.exitCode(DoctorReport(readings())) == .inconclusive)
  }
}

@Suite(.ownThread) struct DoctorWayTests {
  @Test(
    arguments: [
      (true, true, 1, [.costOnOneProcessor, .wallAtRealTime, .wallAsIs]),
      (true, false, 1, [.costOnOneProcessor, .wallAsIs]),
      (false, true, 1, [.costAsIs, .wallAtRealTime, .wallAsIs]),
      (false, false, 1, [.costAsIs, .wallAsIs]), (true, false, nil, [.costAsIs, .wallAsIs]),
      (nil, nil, nil, [.costAsIs, .wallAsIs]),
    ] as [(Bool?, Bool?, Int?, [DoctorMode])])
  func `only permitted placements are tried`(
    oneProcessor: Bool?, realTime: Bool?, lastProcessor: Int?, modes: [DoctorMode]
  ) {
    var machine = MachineRecord()
    machine.isOneProcessorPermitted = oneProcessor
    machine.isRealTimePermitted = realTime
    let ways = DoctorWay.all(machine, lastProcessor: lastProcessor)
    #expect(ways.map(\.mode) == modes)
  }
}
