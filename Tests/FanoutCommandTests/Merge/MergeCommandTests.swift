import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct MergeCommandTests {
  private let known = ContenderList([Named("floor")])

  private func merge(_ folder: RecordedFolder, _ runs: [String], name: String = "all") -> ExitCode {
    Bench.run(["merge"] + runs + ["--output", folder.path, "--name", name], among: known)
  }

  /// The run of one shard of a deal.
  private func record(
    _ folder: RecordedFolder, shard number: Int, of deal: [[String]], on machine: String
  ) throws -> String {
    let scenarios = deal[number - 1]
    return try folder.record(
      "s\(number)", MergeFixture.samples(scenarios),
      environment: MergeFixture.environment(machine, scenarios, shard: (number, deal)))
  }

  @Test func `a cell on two machines stays two cells with their own ratios`() throws {
    let folder = try RecordedFolder()
    let slow = try folder.record(
      "slow", MergeFixture.samples(ratio: 2), environment: MergeFixture.environment("m1"))
    let fast = try folder.record(
      "fast", MergeFixture.samples(speed: 10, ratio: 3), environment: MergeFixture.environment("m2"))
    #expect(merge(folder, [slow, fast]) == .fine)

    let run = try RunDirectory.open(folder.path + "/all")
    let cells = try run.readSummary().filter { $0.contender == "a" && $0.scenario == "publish-instant-1" }
    #expect(cells.map(\.machine) == ["m1", "m2"])
    #expect(cells.map { ($0.ratio! * 10).rounded() } == [20, 30])
    #expect(cells.map(\.samples) == [12, 12])
    let samples = try run.sampleReader().rest()
    #expect(samples.count == 2 * MergeFixture.samples().count)
    #expect(Set(samples.map(\.machine)) == ["m1", "m2"])
    let report = String(
      decoding: FileManager.default.contents(atPath: run.path + "/summary.md")!, as: UTF8.self)
    #expect(report.contains("### publish-instant-1 @ m2: "))
    #expect(report.contains("2 scenarios on 2 machines"))
    #expect(report.contains("m1: Example CPU, 2 cores") && report.contains("m2: Example CPU, 2 cores"))
  }

  @Test func `merged shards equal the run that was split`() throws {
    let folder = try RecordedFolder()
    let deal = MergeFixture.scenarios.map { [$0] }
    let shards = try (1...2).map { try record(folder, shard: $0, of: deal, on: "m1") }
    #expect(merge(folder, shards) == .fine)
    let whole = try folder.record("whole", environment: MergeFixture.environment("m1"))
    #expect(merge(folder, [whole], name: "split-into-one") == .fine)
    let (split, one) = (
      try RunDirectory.open(folder.path + "/all"), try RunDirectory.open(folder.path + "/split-into-one")
    )
    func cells(_ run: RunDirectory) throws -> [CellSummary] {
      try run.readSummary().map { cell in
        var cell = cell
        cell.run = ""
        return cell
      }
    }
    #expect(try cells(split) == cells(one))
    #expect(try split.readEnvironment().machine == "m1")
  }

  @Test func `a merged run can be compared and merged again`() throws {
    let folder = try RecordedFolder()
    let runs = try ["m1", "m2"].map { machine in
      try folder.record(machine, MergeFixture.samples(), environment: MergeFixture.environment(machine))
    }
    #expect(merge(folder, runs) == .fine)
    let all = folder.path + "/all"
    let slower = try ["m1", "m2"].map { machine in
      try folder.record(
        "\(machine)-later", MergeFixture.samples(ratio: machine == "m1" ? 2 : 6),
        environment: MergeFixture.environment(machine))
    }
    #expect(merge(folder, slower, name: "later") == .fine)
    #expect(Bench.run(["compare", all, folder.path + "/later"], among: known) == .fine)
    let comparison = try RecordedComparison(
      base: RecordedRun.read(all), candidate: RecordedRun.read(folder.path + "/later"),
      RecordedComparison.Terms(margin: 0.25))
    let states = Dictionary(grouping: comparison.scenarios.flatMap(\.cells), by: \.key.machine)
      .mapValues { Set($0.map { (($0.numbers.ratio ?? 0) * 10).rounded() }) }
    #expect(states == ["m1": [10], "m2": [30]])
    // Merged again with a third one, nothing is lost.
    let third = try folder.record("m3", MergeFixture.samples(), environment: MergeFixture.environment("m3"))
    #expect(merge(folder, [all, third], name: "three") == .fine)
    let three = try RunDirectory.open(folder.path + "/three")
    #expect(try three.readEnvironment().parts?.map(\.machine) == ["m1", "m2", "m3"])
    #expect(Set(try three.readSummary().map(\.machine)) == ["m1", "m2", "m3"])
  }

  @Test func `a missing shard is reported and the others are merged`() throws {
    let folder = try RecordedFolder()
    let deal = MergeFixture.scenarios.map { [$0] }
    let first = try record(folder, shard: 1, of: deal, on: "m1")
    #expect(merge(folder, [first]) == .inconclusive)
    let environment = try RunDirectory.open(folder.path + "/all").readEnvironment()
    #expect(environment.warnings == ["shard 2 of 2 is missing: publish-instant-100"])
  }

  @Test func `an empty shard is merged`() throws {
    let folder = try RecordedFolder()
    let deal = [MergeFixture.scenarios, []]
    let shards = try (1...2).map { try record(folder, shard: $0, of: deal, on: "m\($0)") }
    #expect(merge(folder, shards) == .fine)
    // Nothing was measured on the second machine, so there is no machine to tell the first from.
    #expect(try RunDirectory.open(folder.path + "/all").readSummary().allSatisfy { $0.machine == "m1" })
  }

  @Test func `a truncated file and cells that were not reached are reported`() throws {
    let folder = try RecordedFolder()
    let run = try folder.record(
      "cut", MergeFixture.samples(["publish-instant-1"]),
      environment: MergeFixture.environment("m1") { $0.finishedAt = nil })
    try folder.edit(run) { lines in lines = lines.dropLast(2) + [String(lines[lines.count - 2].dropLast(9))] }
    #expect(merge(folder, [run]) == .fine)
    let environment = try RunDirectory.open(folder.path + "/all").readEnvironment()
    #expect(
      environment.warnings == [
        "line 37 of \(run)/samples.csv was cut off and is left out", "\(run) was ended early",
      ])
    #expect(environment.missingCells.count == 3)
    #expect(environment.missingCells.contains("floor × publish-instant-100"))
    #expect(environment.finishedAt == nil)
  }

  @Test func `a refused merge writes and overwrites nothing`() throws {
    let folder = try RecordedFolder()
    let a = try folder.record("a", environment: MergeFixture.environment("m1"))
    let b = try folder.record("b", environment: MergeFixture.environment("m2") { $0.seed = 2 })
    let broken = try folder.record("broken", environment: MergeFixture.environment("m3"))
    try folder.edit(broken) { $0[1] = "no,row" }
    let before = try folder.contents()
    #expect(merge(folder, [a, b]) == .usage)
    #expect(merge(folder, [a, a]) == .usage)
    #expect(merge(folder, []) == .usage)
    #expect(merge(folder, [a], name: "b") == .cannotReadOrWrite)
    #expect(merge(folder, [a, broken]) == .cannotReadOrWrite)
    #expect(merge(folder, [a, folder.path + "/none"]) == .cannotReadOrWrite)
    #expect(try folder.contents() == before)
  }
}
