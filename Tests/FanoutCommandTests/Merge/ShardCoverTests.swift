import TestSupport
import Testing

@testable import FanoutCommand

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

  @Test func `a missing shard is named with its scenarios`() throws {
    #expect(try missing([("m1", 1)]) == ["shard 2 of 3 is missing: publish-instant-100"])
    #expect(try missing([("m1", 1), ("m2", 2)]) == [])
  }

  @Test func `a shard missing from one of several sets is named`() throws {
    #expect(
      try missing([("m1", 1), ("m1", 2), ("m2", 1)])
        == ["shard 2 of 3 is there 1 time and others 2 times: publish-instant-100"])
    #expect(try missing([("m1", 1), ("m1", 2), ("m2", 1), ("m2", 2)]) == [])
  }

  @Test func `runs that are no shards lack nothing`() throws {
    #expect(try ShardCover.missing([MergeFixture.part("a", "m1"), MergeFixture.part("b", "m2")]) == [])
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
