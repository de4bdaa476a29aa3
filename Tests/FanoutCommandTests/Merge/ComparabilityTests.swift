import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import FanoutCommand

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
    ),
    ({ $0.toolchain = "Swift 6.1" }, "b/environment.json: toolchain is Swift 6.1, but Swift 6.3.1 in a/"),
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
  func `a difference is named with its file and both values`(
    change: @escaping Change, start: String
  ) {
    let text = message(MergeFixture.part("a", "m1"), MergeFixture.part("b", "m2", change: change))
    #expect(text.hasPrefix(start), "\(text)")
  }

  @Test func `a scenario without a definition is compared by its rows`() {
    let samples = RecordedFolder.samples { $0.fanOut = 7 }
    #expect(
      message(MergeFixture.part("a", "m1"), MergeFixture.part("b", "m2", samples: samples)).hasPrefix(
        "b/samples.csv: the scenario publish-instant-1 has fan_out 7, but 1 in a/samples.csv"))
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
}

@Suite(.ownThread) struct ShardCoverTests {
  private static let deal = [["publish-instant-1"], ["publish-instant-100"], []]

  private func missing(_ shards: [(String, Int)]) throws -> [String] {
    try ShardCover.missing(
      shards.map { machine, number in
        MergeFixture.part(
          "\(machine)-\(number)", machine, Self.deal[number - 1], shard: (number, Self.deal))
      }
    )
  }

  @Test func `a shard missing from one of several sets is named`() throws {
    #expect(
      try missing([("m1", 1), ("m1", 2), ("m2", 1)])
        == ["shard 2 of 3 is there 1 time and others 2 times: publish-instant-100"])
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
