import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct MergeCommandTests {
  private let known = ContenderList([Named("floor")])
  private let folder = RecordedFolder()

  private func merge(_ runs: [String], name: String = "all") -> ExitCode {
    Bench.run(["merge"] + runs + ["--output", folder.path, "--name", name], among: known)
  }

  private func record(shard number: Int, of deal: [[String]], on machine: String) throws -> String {
    let scenarios = deal[number - 1]
    return try folder.record(
      "s\(number)", MergeFixture.samples(scenarios),
      environment: MergeFixture.environment(machine, scenarios, shard: (number, deal)))
  }

  @Test func `a cell on two machines stays two cells with their own ratios`() throws {
    let slow = try folder.record(
      "slow", MergeFixture.samples(ratio: 2), environment: MergeFixture.environment("m1"))
    let fast = try folder.record(
      "fast", MergeFixture.samples(speed: 10, ratio: 3), environment: MergeFixture.environment("m2"))
    #expect(merge([slow, fast]) == .fine)

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
    let deal = MergeFixture.scenarios.map { [$0] }
    let shards = try (1...2).map { try record(shard: $0, of: deal, on: "m1") }
    #expect(merge(shards) == .fine)
    let whole = try folder.record("whole", environment: MergeFixture.environment("m1"))
    #expect(merge([whole], name: "split-into-one") == .fine)
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
    let runs = try ["m1", "m2"].map { machine in
      try folder.record(machine, MergeFixture.samples(), environment: MergeFixture.environment(machine))
    }
    #expect(merge(runs) == .fine)
    let all = folder.path + "/all"
    #expect(Bench.run(["compare", all, all], among: known) == .fine)
    let third = try folder.record("m3", MergeFixture.samples(), environment: MergeFixture.environment("m3"))
    #expect(merge([all, third], name: "three") == .fine)
    let three = try RunDirectory.open(folder.path + "/three")
    #expect(try three.readEnvironment().parts?.map(\.machine) == ["m1", "m2", "m3"])
    #expect(Set(try three.readSummary().map(\.machine)) == ["m1", "m2", "m3"])
  }

  @Test func `a missing shard is reported and the others are merged`() throws {
    let deal = MergeFixture.scenarios.map { [$0] }
    let first = try record(shard: 1, of: deal, on: "m1")
    #expect(merge([first]) == .inconclusive)
    let environment = try RunDirectory.open(folder.path + "/all").readEnvironment()
    #expect(environment.warnings == ["shard 2 of 2 is missing: publish-instant-100"])
  }

  @Test func `a truncated file and cells that were not reached are reported`() throws {
    let run = try folder.record(
      "cut", MergeFixture.samples(["publish-instant-1"]),
      environment: MergeFixture.environment("m1") { $0.finishedAt = nil })
    try folder.edit(run) { lines in lines = lines.dropLast(2) + [String(lines[lines.count - 2].dropLast(9))] }
    #expect(merge([run]) == .fine)
    let environment = try RunDirectory.open(folder.path + "/all").readEnvironment()
    #expect(
      environment.warnings == [
        "line 37 of \(run)/samples.csv was cut off and is left out", "\(run) was ended early",
      ])
    #expect(environment.missingCells.count == 3)
    #expect(environment.missingCells.contains("floor × publish-instant-100"))
    #expect(environment.finishedAt == nil)
  }

  @Test func `a merge tells that samples of a part are missing`() throws {
    let part = try folder.record("part", environment: MergeFixture.environment("m1"))
    #expect(merge([part], name: "whole") == .fine)
    try folder.edit(folder.path + "/whole") { $0.remove(at: 3) }
    #expect(merge([folder.path + "/whole"]) == .fine)
    let warnings = try RunDirectory.open(folder.path + "/all").readEnvironment().warnings
    #expect(warnings.contains { $0.hasSuffix("lacks 1 sample that summary.csv counts") })
  }

  @Test func `a refused merge writes and overwrites nothing`() throws {
    let a = try folder.record("a", environment: MergeFixture.environment("m1"))
    let b = try folder.record("b", environment: MergeFixture.environment("m2") { $0.seed = 2 })
    let broken = try folder.record("broken", environment: MergeFixture.environment("m3"))
    try folder.edit(broken) { $0[1] = "no,row" }
    let before = try folder.contents()
    #expect(merge([a, b]) == .usage)
    #expect(merge([a, a]) == .usage)
    #expect(merge([]) == .usage)
    #expect(merge([a], name: "b") == .cannotReadOrWrite)
    #expect(merge([a, broken]) == .cannotReadOrWrite)
    #expect(merge([a, folder.path + "/none"]) == .noBaseline)
    #expect(try folder.contents() == before)
  }
}

@Suite(.ownThread) struct ComparabilityTests {
  private func message(_ parts: MergePart...) -> String {
    do {
      try Comparability.check(parts)
      return "no error"
    } catch { return "\(error)" }
  }

  @Test func `runs of one build on two machines are comparable`() {
    #expect(message(MergeFixture.part("a", "m1"), MergeFixture.part("b", "m2")) == "no error")
  }

  typealias Change = @Sendable (inout EnvironmentRecord) -> Void

  static let differences: [(Change, String)] = [
    ({ $0.seed = 2 }, "b/environment.json: seed is 2, but 1 in a/environment.json."),
    ({ $0.commit = nil }, "b/environment.json: commit is unknown, but 0123456789abcdef in a/"),
    ({ $0.isDirty = true }, "b/environment.json: dirty is true, but false in a/"),
    (
      { $0.buildConfiguration = "debug" },
      "b/environment.json: build_configuration is debug, but release in a/"
    ), ({ $0.toolchain = "Swift 6.1" }, "b/environment.json: toolchain is Swift 6.1, but Swift 6.3.1 in a/"),
    ({ $0.reference = "a" }, "b/environment.json: reference is a, but floor in a/"),
    ({ $0.notes["drop_rule"] = "x" }, "b/environment.json: the note drop_rule is x, but unknown in a/"),
    (
      { $0.scenarios?["publish-instant-1"]?.definition["order"] = "reverse" },
      "b/environment.json: the scenario publish-instant-1 has order reverse, but shuffled in a/environment.json"
    ),
    (
      { $0.scenarios?["publish-instant-1"]?.definition["limit"] = "4" },
      "b/environment.json: the scenario publish-instant-1 has limit 4, but unknown in a/environment.json"
    ),
  ]

  @Test(arguments: differences)
  func `a difference is named with its file and both values`(change: @escaping Change, start: String) {
    let text = message(MergeFixture.part("a", "m1"), MergeFixture.part("b", "m2", change: change))
    #expect(text.hasPrefix(start), "\(text)")
  }

  @Test func `a machine has each scenario from one run only`() {
    #expect(
      message(MergeFixture.part("a", "m1"), MergeFixture.part("b", "m1")).hasPrefix(
        "publish-instant-1 of machine m1 is in both a and b, and 1 more: leave one out."))
    #expect(
      message(
        MergeFixture.part("a", "m1", ["publish-instant-1"]),
        MergeFixture.part("b", "m1", ["publish-instant-100"])) == "no error")
  }

  @Test func `a repeated shard is refused by name`() {
    let deal = [["publish-instant-1"], ["publish-instant-100"], []]
    let shard = { (path: String, machine: String, number: Int) in
      MergeFixture.part(path, machine, deal[number - 1], shard: (number, deal))
    }
    #expect(
      message(shard("a", "m1", 1), shard("b", "m1", 2), shard("c", "m1", 2))
        == "shard 2/3 of machine m1 is in both b and c: leave one out.")
    #expect(
      message(shard("a", "m1", 3), shard("b", "m1", 3))
        == "shard 3/3 of machine m1 is in both a and b: leave one out.")
    #expect(message(shard("a", "m1", 1), shard("b", "m2", 1)) == "no error")
  }

  @Test func `unnamed machines are different machines`() {
    let a = MergeFixture.part("a", nil) { $0.run = "one" }
    let b = MergeFixture.part("b", nil) { $0.run = "two" }
    #expect(a.environment.machine != b.environment.machine)
    #expect(message(a, b) == "no error")
    #expect(message(a, a).contains("is in both a and a"))
  }

  private static let deal = [["publish-instant-1"], ["publish-instant-100"], []]

  private func missing(_ shards: [(String, Int)]) throws -> [String] {
    try ShardCover.missing(
      shards.map { machine, number in
        MergeFixture.part("\(machine)-\(number)", machine, Self.deal[number - 1], shard: (number, Self.deal))
      })
  }

  @Test func `a shard missing from one of several sets is named`() throws {
    #expect(
      try missing([("m1", 1), ("m1", 2), ("m2", 1)])
        == ["shard 2 of 3 is in 1 run, but others are in 2: publish-instant-100"])
    #expect(try missing([("m1", 1), ("m1", 2), ("m2", 1), ("m2", 2)]) == [])
  }

  @Test func `shards of different commands are refused`() {
    let error = #expect(throws: UsageError.self) {
      try ShardCover.missing([
        MergeFixture.part("a", "m1", ["x"], shard: (1, [["x"], ["y"]])),
        MergeFixture.part("b", "m1", ["z"], shard: (2, [["x"], ["z"]])),
      ])
    }
    #expect(
      error?.description
        == "b and a are shards of 2, but not of the same scenarios: record all shards with the same options.")
  }
}

/// Runs of one build on machines that differ only in speed.
enum MergeFixture {
  static let scenarios = ["publish-instant-1", "publish-instant-100"]

  static func samples(_ scenarios: [String] = scenarios, speed: Double = 1, ratio: Double = 2) -> [Sample] {
    RecordedFolder.samples(scenarios: scenarios, ratio: ratio) {
      $0.wallNanoseconds = $0.wallNanoseconds.map { Int(Double($0) / speed) }
    }
  }

  static func environment(
    _ machine: String?, _ scenarios: [String] = scenarios, shard: (Int, [[String]])? = nil,
    _ change: (inout EnvironmentRecord) -> Void = { _ in }
  ) -> EnvironmentRecord {
    RecordedFolder.environment {
      $0.machine = machine
      $0.toolchain = "Swift 6.3.1"
      ($0.cpuModel, $0.coreCount) = ("Example CPU", 2)
      $0.shard = shard.map { ShardRecord(number: $0.0, count: $0.1.count, scenarios: $0.1) }
      $0.scenarios = Dictionary(
        uniqueKeysWithValues: scenarios.map {
          (
            $0,
            ScenarioRecord(
              definition: ["fanOut": "1", "order": "shuffled"], contenders: ["floor", "a", "b"])
          )
        })
      change(&$0)
    }
  }

  static func part(
    _ path: String, _ machine: String?, _ scenarios: [String] = scenarios, shard: (Int, [[String]])? = nil,
    change: (inout EnvironmentRecord) -> Void = { _ in }
  ) -> MergePart {
    MergePart(
      path: path, environment: environment(machine, scenarios, shard: shard, change),
      samples: samples(scenarios))
  }
}
