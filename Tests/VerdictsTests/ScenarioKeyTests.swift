import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ScenarioKeyTests {
  private func samples(_ machine: String?, factor: Double) -> [Sample] {
    (SyntheticRun.cell("floor", factor: 1) + SyntheticRun.cell("a", factor: factor)).changing { sample in
      sample.machine = machine
    }
  }

  private func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor"))
  }

  @Test func `a cell of two machines is judged on each, never mixed`() {
    let both = analysis(samples("m1", factor: 2) + samples("m2", factor: 3))
    #expect(both.scenarios.map(\.place.description) == ["publish-100 @ m1", "publish-100 @ m2"])
    let alone = [2.0, 3].map { analysis(samples("m1", factor: $0)) }
    for (scenario, one) in zip(both.scenarios, alone) {
      let (cell, lonely) = (scenario.cells.last!.summary, one.summaries.last!)
      #expect(cell.ratio == lonely.ratio)
      #expect(cell.medianNanoseconds == lonely.medianNanoseconds)
      #expect(scenario.cells.map(\.comparison?.pairs) == one.scenarios[0].cells.map(\.comparison?.pairs))
    }
    #expect(both.generations == 1)
  }

  @Test func `a reference of another machine does not count`() {
    let lonely =
      samples("m1", factor: 2).filter { $0.contender == "floor" }
      + samples("m2", factor: 2).filter { $0.contender == "a" }
    #expect(analysis(lonely).summaries.allSatisfy { $0.verdict == nil && ($0.ratio ?? 1) == 1 })
  }

  @Test func `a single machine is recorded but not named`() {
    let one = analysis(samples("m1", factor: 2))
    #expect(one.scenarios.map(\.place.description) == ["publish-100"])
    #expect(one.summaries.map(\.machine) == ["m1", "m1"])
    #expect(analysis(samples(nil, factor: 2)).summaries.map(\.machine) == [nil, nil])
  }

  @Test func `a planned cell is missing on its machine`() {
    let planned = ["m1", "m2"].flatMap { machine in
      ["floor", "a"].map { CellKey(contender: $0, scenario: "publish-100", machine: machine) }
    }
    let some = samples("m1", factor: 2) + samples("m2", factor: 2).filter { $0.contender == "floor" }
    let options = AnalysisOptions(reference: "floor") { $0.plannedCells = planned }
    #expect(
      RunAnalysis(run: "r", samples: some, options: options).missing.map(\.description)
        == ["a × publish-100 @ m2"])
    let one = RunAnalysis(run: "r", samples: samples("m1", factor: 2), options: options)
    #expect(one.missing.isEmpty)
  }

  @Test func `the machines of a scenario stand together`() {
    let places = [("a", "m1"), ("b", "m1"), ("a", "m2"), ("b", "m2"), ("a", "m1")].map {
      ScenarioKey(scenario: $0.0, machine: $0.1)
    }
    #expect(places.grouped().map(\.description) == ["a @ m1", "a @ m2", "b @ m1", "b @ m2"])
  }
}
