import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct ShardTests {
  @Test(arguments: ["", "1", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/", " 1/4", "1/1001"])
  func `text that is no shard is refused`(text: String) {
    let error = #expect(throws: UsageError.self) { try Shard(text) }
    #expect(error?.description.hasPrefix("--shard “\(text)”: give I/N, such as 2/4") == true)
  }

  @Test(arguments: 1...30)
  func `every scenario is in exactly one shard`(count: Int) throws {
    let dealt = try (1...count).map { number in
      try Shard("\(number)/\(count)").record(Catalog.standard) { _ in 8 }
    }
    #expect(Set(dealt.map(\.scenarios)).count == 1, "all shards know the same deal")
    #expect(dealt.map(\.number) == Array(1...count))
    #expect(
      dealt[0].scenarios.joined().sorted() == Catalog.standard.map(\.name).sorted())
  }

  @Test(arguments: 2...6)
  func `the shards have similar costs`(count: Int) {
    let costs = Catalog.standard.map(\.expectedSampleNanoseconds)
    let shards = Shard.deal(costs, among: count)
    let loads = (0..<count).map { shard in
      costs.indices.filter { shards[$0] == shard }.reduce(0) { $0 + costs[$1] }
    }
    // The cheapest are dealt last, so loads differ by at most the most expensive scenario.
    #expect(loads.max()! - loads.min()! <= costs.max()!)
    #expect(loads.max()! <= costs.reduce(0, +) / Double(count) * 4 / 3 + costs.max()!)
  }

  @Test func `the most expensive scenarios are dealt first, ties to the first shard`() {
    #expect(Shard.deal([1, 5, 3, 3, 1], among: 2) == [0, 0, 1, 1, 0])
    #expect(Shard.deal([2, 2, 2], among: 2) == [0, 1, 0])
    #expect(Shard.deal([], among: 3) == [])
  }

  @Test func `a longer scenario has a higher expected cost`() {
    func cost(_ change: (inout Scenario) -> Void) -> Double {
      var scenario = Scenario(name: "", service: .latency, fanOut: 100)
      change(&scenario)
      return scenario.expectedSampleNanoseconds
    }
    let usual = cost { _ in }
    #expect(cost { $0.limit = 5 } > usual)
    #expect(cost { $0.pattern = .sequence } > cost { $0.limit = 5 })
    #expect(cost { $0.latency = .fixed(nanoseconds: 60_000_000) } > usual)
    #expect(
      cost {
        $0.latency = .fixed(nanoseconds: 60_000_000)
        $0.cancelAfter = .milliseconds(5)
      } == 5_000_000)
    func files(_ change: (inout Scenario) -> Void) -> Double {
      cost {
        $0.service = .file
        change(&$0)
      }
    }
    #expect(files { $0.syncsToDisk = true } > files { _ in })
    #expect(files { $0.payloadBytes *= 100 } > files { _ in })
    // The longest waits that options take, in the largest post.
    #expect(
      cost {
        $0.photos = Post.mostMedia
        $0.pattern = .sequence
        $0.latency = .fixed(nanoseconds: 864_000_000_000_000)
      }.isFinite)
  }
}
