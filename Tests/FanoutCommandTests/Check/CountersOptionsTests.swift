import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct CountersOptionsTests {
  private let known = ContenderList([Named("a"), Named("b")], variants: [Named("a/x")])
  private let key = CountKey(toolchain: "t", system: "s", architecture: "a", turns: "batch")

  private func options(_ arguments: String...) throws -> CountersOptions<Scenario> { try options(arguments) }

  private func options(_ arguments: [String]) throws -> CountersOptions<Scenario> {
    try CountersOptions(
      Options(CountersFile.completed(arguments), known: CheckCommand.ofUploads.options),
      CheckSubjects(uploads: known))
  }

  private func row(_ contender: String, _ scenario: String, _ count: CommittedCount = .exact(1))
    -> CountRecord
  {
    var row = CountRecord {
      $0.key = key
      $0.contender = contender
      $0.scenario = scenario
    }
    row[.allocations] = count
    return row
  }

  private func plan(_ options: CountersOptions<Scenario>, _ section: [CountRecord]) throws -> CountersPlan<
    Scenario
  > {
    try CountersPlan(options, CheckSubjects(uploads: known), section: section) {
      BaselineProblem("no section")
    }
  }

  @Test func `the counters file has a usual path`() throws {
    #expect(try options("--counters").path == CountersFile.usualPath)
    #expect(try options("--counters", "f.csv").path == "f.csv")
    #expect(try options("--counters=f.csv", "--update").path == "f.csv")
    #expect(try options("--counters", "--contenders", "a").path == CountersFile.usualPath)
    let update = try options("--update")
    #expect(update.updates && update.path == CountersFile.usualPath)
  }

  @Test(
    arguments: Refusal.table(
      """
      --update --plant-retains 1 => --update and --plant-allocations or --plant-retains exclude each other.
      --counters= => --counters is empty: give a path.
      --counters --scenario publish-instant-11 => unknown scenario “publish-instant-11”. Did you mean publish-instant-1?
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try options($0) }
  }

  @Test func `a check covers the file and an update all contenders but variants`() throws {
    let section = [row("a/x", "publish-instant-1"), row("b", "publish-instant-10")]
    let check = try plan(options("--counters"), section)
    #expect(check.keys.map(\.description) == ["a/x × publish-instant-1", "b × publish-instant-10"])
    #expect(
      check.remark
        == "In this build and not in the file: a; --update adds them. Counts that the file lacks: b × publish-instant-1, a/x × publish-instant-10; add them with --update."
    )
    #expect(check.notes == [])
    let update = try plan(options("--update"), section)
    #expect(Set(update.keys.map(\.contender)) == ["a", "b"])
    #expect(update.keys.count == 2 * Catalog.counting.count)
  }

  @Test func `contenders missing from the file or the build are named`() throws {
    let section = [row("b", "publish-instant-1"), row("gone", "publish-instant-1")]
    for arguments in [[], ["--scenario", "publish-instant-1"]] {
      let plan = try plan(options(["--counters"] + arguments), section)
      #expect(plan.remark == "In this build and not in the file: a; --update adds them.")
      #expect(plan.notes == ["In the file and not in this build: gone; --update removes them."])
    }
    let named = try plan(options("--counters", "--contenders", "b"), section)
    #expect(named.remark == nil && named.notes == [])
  }

  @Test func `counts missing from the file are a missing baseline`() throws {
    let section = [row("b", "publish-instant-10")]
    #expect(throws: BaselineProblem.self) { try plan(options("--counters"), []) }
    #expect(throws: BaselineProblem.self) { try plan(options("--counters", "--contenders", "a"), section) }
    #expect(throws: BaselineProblem.self) {
      try plan(options("--counters", "--contenders", "a,b", "--scenario", "publish-instant-10"), section)
    }
  }

  private func counted(_ contender: String, _ counts: [Int]) -> CountedCell {
    var cell = CountedCell(CellKey(contender: contender, scenario: "publish-instant-1"))
    for _ in 0..<2 { cell.add(counts.map { [.allocations: $0] }) }
    return cell
  }

  @Test func `a partial update keeps the other counts and the ranges`() throws {
    let section = [
      row("b", "publish-instant-1"), row("a", "publish-instant-1", .within(1...2)),
      row("a", "publish-instant-10"),
    ]
    let plan = try plan(
      options("--update", "--contenders", "a,a/x", "--scenario", "publish-instant-1"), section)
    let written = plan.section(key, from: section, counted: [counted("a", [5, 5]), counted("a/x", [5, 6])])
    #expect(
      written == [
        section[0], row("a", "publish-instant-1", .within(5...5)), section[2],
        row("a/x", "publish-instant-1", .within(5...5)),
      ])
    let all = try self.plan(options("--update"), section)
    #expect(
      all.section(key, from: section, counted: [counted("b", [7, 7])]) == [
        row("b", "publish-instant-1", .exact(7))
      ])
  }

  @Test func `an update keeps what another one wrote meanwhile`() throws {
    let before = [row("b", "publish-instant-1")]
    let plan = try plan(options("--update", "--contenders", "a"), before)
    let now = before + [row("a/x", "publish-instant-10")]
    let written = plan.section(key, from: now, counted: [counted("a", [5, 5])])
    #expect(written == now + [row("a", "publish-instant-1", .exact(5))])
  }

  @Test func `an update names exact counts that become ranges`() {
    let old = [row("a", "publish-instant-1", .exact(3)), row("b", "publish-instant-1", .exact(4))]
    #expect(
      CountersCheck.loosened(from: old, to: [row("a", "publish-instant-1", .exact(5)), old[1]], per: "post")
        == nil)
    #expect(
      CountersCheck.loosened(
        from: old,
        to: [row("a", "publish-instant-1", .within(2...3)), row("b", "publish-instant-1", .within(4...4))],
        per: "post")
        == "Some counts now differ between posts and are no longer checked exactly: a × publish-instant-1, allocations per post (and 1 more). On an idle machine, they may be equal."
    )
    #expect(
      CountersCheck.loosened(from: [row("a", "publish-instant-1", .within(2...3))], to: old, per: "post")
        == nil)
  }

  @Test func `a diff has the lines that are gone, then those that are new`() {
    let diff = CountersCheck.diff(from: "a\nb\nc\n", to: "a\nx\nc\ny\n", path: "f")
    #expect(diff == "--- f\n+++ f\n-b\n+x\n+y\n")
    #expect(CountersCheck.diff(from: "a\n", to: "a\n", path: "f") == "")
  }
}

@Suite(.ownThread) struct CountersSessionTests {
  private static let scenario = "publish-instant-100"

  /// The report of a check of `a`, whose committed count is 50, and its number of processes.
  ///
  /// - Parameter allocations: those of a post, given the process's number from 1 and the injected allocations.
  private func report(
    _ allocations: @escaping (_ process: Int, _ planted: Int) throws(WorkerFailure) -> Int
  ) throws -> (report: CheckReport, processes: Int) {
    let known = ContenderList([Named("a")])
    let options = try CountersOptions(
      Options(["--counters", "f.csv"], known: CheckCommand.ofUploads.options), CheckSubjects(uploads: known))
    var row = CountRecord()
    (row.contender, row.scenario, row[.allocations]) = ("a", Self.scenario, CommittedCount.exact(50))
    let plan = try CountersPlan(options, CheckSubjects(uploads: known), section: [row]) {
      BaselineProblem("no section")
    }
    var processes = 0
    let session = CountersSession(
      plan, options, Turns(name: "free", placement: .anywhere),
      launcher: { arguments in
        processes += 1
        let process = processes
        let place = arguments.firstIndex(of: "--plant-allocations")! + 1
        let planted = Int(arguments[place])! * 100
        return fakeWorkers { _, request throws(WorkerFailure) in
          var reply = SampleReply.measured(request, nanoseconds: 1)
          reply.counts = Counts(allocations: try allocations(process, planted))
          return reply
        }
      }, progress: { _ in })
    try session.run()
    return (session.report(against: plan.committed, file: "f.csv"), processes)
  }

  @Test func `the committed count passes and the controls prove it`() throws {
    let (report, processes) = try report { _, planted in 50 + planted }
    #expect(report.verdict == .passed)
    #expect(report.proofs.map(\.isProven) == [true, true])
    // Two of the build, and two of each control.
    #expect(processes == 6)
  }

  @Test func `one allocation more is counted again and is a regression`() throws {
    let (report, processes) = try report { _, planted in 51 + planted }
    #expect(report.verdict == .regressed)
    #expect(processes == 2 + 3 + 4)
  }

  @Test func `a difference in the first process alone passes`() throws {
    let (report, processes) = try report { process, planted in (process == 1 ? 51 : 50) + planted }
    #expect(report.verdict == .passed)
    #expect(processes == 2 + 3 + 4)
  }

  @Test func `a count that varies is inconclusive`() throws {
    var posts = 0
    let (report, _) = try report { _, planted in
      posts += 1
      return (posts % 4 == 0 ? 50 : 51) + planted
    }
    #expect(report.rows.map(\.state) == [.inconclusive])
    #expect(
      report.rows[0].reason == "the committed count is exact, but most passes of this check counted more.")
    #expect(report.verdict == .inconclusive)
  }

  @Test func `a counter that misses injected allocations is inconclusive`() throws {
    let (report, _) = try report { _, _ in 50 }
    #expect(report.verdict == .inconclusive)
    #expect(report.proofs.map(\.isProven) == [true, false])
  }

  @Test func `a worker that dies fails the check`() throws {
    let (report, _) = try report { _, _ throws(WorkerFailure) in
      throw .died(how: "signal 11")
    }
    #expect(report.verdict == .failed)
    #expect(report.rows.map(\.reason) == ["the worker process died: signal 11"])
  }
}
