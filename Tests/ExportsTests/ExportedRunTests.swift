import Verdicts
import Results
import TestSupport
import Testing

@testable import Exports

@Suite(.ownThread) struct ExportedRunTests {
  @Test func `the export reports what it leaves out`() {
    #expect(
      FixedRun.run().leftOut == [
        "left out of 76 samples: 10 warm-up, 6 disturbed",
        "operations on publish-instant-100 is not exported: failed: ended with an error: media 3 (16 samples)",
        "not measured: swift-concurrency/detached × publish-instant-8-limit-4, operations × publish-instant-8-limit-4",
      ])
  }

  @Test func `only chosen cells are exported and counted`() {
    let run = FixedRun.run { $0.contender == "futures" && $0.scenario == "publish-instant-100" }
    #expect(run.cells.map(\.contender) == ["futures"])
    #expect(run.leftOut == ["left out of 16 samples: 2 warm-up, 2 disturbed"])
    // What it is compared with stays what it was in the run.
    #expect(run.cells[0].summary.reference == "callbacks")
  }

  @Test func `a failure in any sample removes the whole cell`() {
    let samples = FixedRun.cell("callbacks", microseconds: 100) + FixedRun.cell("futures", microseconds: 200)
    var failing = samples
    failing[20].outcome = .wrong
    #expect(FixedRun.run(samples).cells.map(\.contender) == ["callbacks", "futures"])
    #expect(FixedRun.run(failing).cells.map(\.contender) == ["callbacks"])
  }

  @Test func `cells of several machines keep their names`() throws {
    let samples = ["node-1", "node-2"].flatMap { machine in
      FixedRun.cell("callbacks", microseconds: 100, machine: machine)
        + FixedRun.cell("futures", microseconds: 200, machine: machine)
    }
    let run = FixedRun.run(samples)
    #expect(Set(run.cells.map(\.path)).count == 4)
    #expect(run.cells.contains { $0.path == "publish-instant-100@node-2/futures/n=100" })
    let lines = try ExportFormat.benchstat.export(run).text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("machine: ") } == ["machine: node-1", "machine: node-2"])
  }

  @Test func `a slash in a scenario does not make two cells of one name`() throws {
    let samples =
      FixedRun.cell("a", "x/b", microseconds: 1) + FixedRun.cell("b/a", "x", microseconds: 1)
    #expect(FixedRun.run(samples).cells.map(\.path) == ["x~b/a/n=100", "x/b/a/n=100"])
    for format in ExportFormat.allCases { _ = try format.export(FixedRun.run(samples)) }
  }

  @Test func `a noisy scenario is named and keeps its ratio where rounds are enough`() throws {
    let samples = FixedRun.samples.map { sample in
      var sample = sample
      if sample.round % 2 == 1, sample.outcome == .measured { sample.dropped = .disturbed }
      return sample
    }
    let run = FixedRun.run(samples)
    #expect(
      run.leftOut.contains {
        $0.hasPrefix("noisy, and only their undisturbed rounds are exported: publish-instant-100")
      })
    for format in [ExportFormat.bmf, .gab] {
      let export = try format.export(run)
      #expect(export.text.contains("ratio"))
      #expect(
        export.remarks == [
          "no ratio to callbacks where the run decides nothing: futures on publish-instant-8-limit-4"
        ])
    }
  }
}
