import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct CountersSessionTests {
  private static let scenario = "publish-instant-100"

  /// What a check says of `a`, and how many processes it took.
  ///
  /// - Parameter allocations: of one post of the process of this number, from 1, with so many planted for each upload.
  private func report(
    committed: CommittedCount,
    allocations: @escaping (_ process: Int, _ planted: Int) throws(WorkerFailure) -> Int
  ) throws -> (report: CheckReport, processes: Int) {
    let known = ContenderList([Named("a")])
    let options = try CountersOptions(
      Options(["--counters", "f.csv"], known: CheckCommand.ofUploads.options),
      CheckSubjects(uploads: known))
    var row = CountRecord()
    (row.contender, row.scenario, row[.allocations]) = ("a", Self.scenario, committed)
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
    let (report, processes) = try report(committed: .exact(50)) { _, planted in 50 + planted }
    #expect(report.verdict == .passed)
    #expect(report.proofs.map(\.isProven) == [true, true])
    // Two of the build, and two of each control.
    #expect(processes == 6)
  }

  @Test func `one allocation more is counted again and is a regression`() throws {
    let (report, processes) = try report(committed: .exact(50)) { _, planted in 51 + planted }
    #expect(report.verdict == .regressed)
    #expect(processes == 2 + 3 + 4)
  }

  @Test func `a difference in the first process alone passes`() throws {
    let (report, processes) = try report(committed: .exact(50)) { process, planted in
      (process == 1 ? 51 : 50) + planted
    }
    #expect(report.verdict == .passed)
    #expect(processes == 2 + 3 + 4)
  }

  @Test func `a count that varies is inconclusive`() throws {
    var posts = 0
    let (report, _) = try report(committed: .exact(50)) { _, planted in
      posts += 1
      return (posts % 4 == 0 ? 50 : 51) + planted
    }
    #expect(report.rows.map(\.state) == [.inconclusive])
    #expect(
      report.rows[0].reason == "it is the same in every pass in the file, and more in most passes here.")
    #expect(report.verdict == .inconclusive)
  }

  @Test func `a counter that misses injected allocations is inconclusive`() throws {
    let (report, _) = try report(committed: .exact(50)) { _, _ in 50 }
    #expect(report.verdict == .inconclusive)
    #expect(report.proofs.map(\.isProven) == [true, false])
  }

  @Test func `a worker that dies fails the check`() throws {
    let (report, _) = try report(committed: .exact(50)) { _, _ throws(WorkerFailure) in
      throw .died(how: "signal 11")
    }
    #expect(report.verdict == .failed)
    #expect(report.rows.map(\.reason) == ["its worker died: signal 11"])
  }
}
