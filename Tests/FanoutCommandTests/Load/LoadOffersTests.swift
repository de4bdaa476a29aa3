import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct LoadOffersTests {
  private let cell = CellKey(contender: "a", scenario: "publish-latency-10")

  private func offers(_ arguments: String..., now: @escaping () -> UInt64 = { 0 }) throws -> LoadOffers {
    LoadOffers(try LoadOptions(arguments, known: ContenderList([Named("a"), Named("b")])), now: now)
  }

  private func all(_ offers: LoadOffers) -> [LoadOffer] {
    var all: [LoadOffer] = []
    while let offer = offers.next(cell, round: all.count) { all.append(offer) }
    return all
  }

  @Test func `the duration is divided into windows`() throws {
    let offers = try offers("--rate", "50/s", "--duration", "10s")
    let windows = all(offers)
    #expect(windows.count == 3)
    #expect(windows.allSatisfy { $0.postsPerSecond == 50 && $0.windowNanoseconds == 3_333_333_333 })
    #expect(offers.total == 6)
  }

  @Test func `every rate is offered once per pass, in varying order`() throws {
    let windows = all(try offers("--rates", "10/s,20/s,30/s", "--duration", "12s"))
    #expect(windows.count == 12)
    for pass in 0..<4 {
      #expect(Set(windows[3 * pass..<3 * pass + 3].map(\.postsPerSecond)) == [10, 20, 30])
    }
    // Not in the same order each time: a rate shall not always follow the same one.
    #expect(Set((0..<4).map { windows[3 * $0].postsPerSecond }).count > 1)
  }

  /// p99 needs about 1 126 posts, so 100 in a second take a window of 11 s.
  @Test func `a window is long enough for its percentile`() throws {
    let windows = all(try offers("--rate", "100/s", "--duration", "30s", "--slo", "p99=50ms"))
    #expect(windows.map(\.windowNanoseconds) == [15_000_000_000, 15_000_000_000])
  }

  private func window(_ offer: LoadOffer) -> TakenWindow {
    TakenWindow(cell: cell, offer: offer, round: 0, position: 0, reply: LoadReading())
  }

  @Test func `a search starts where a window has enough posts and finds the limit`() throws {
    let offers = try offers("--find-limit", "--slo", "p99=50ms", "--duration", "10m")
    let first = try #require(offers.next(cell, round: 0))
    #expect(first.windowNanoseconds == 3_000_000_000)
    #expect(Int(first.postsPerSecond) == 375)
    var count = 0
    while let offer = offers.next(cell, round: count) {
      offers.record(offer.postsPerSecond <= 2_000 ? .held : .missed, window(offer))
      count += 1
    }
    let search = try #require(offers.search(of: cell))
    #expect((1_800...2_000).contains(try #require(search.held)))
    #expect(count < 30)
    #expect(offers.total == nil)
  }

  @Test func `a search keeps to its time`() throws {
    var now: UInt64 = 0
    let offers = try offers("--find-limit", "--slo", "p99=50ms", "--duration", "20s") { now }
    var count = 0
    while let offer = offers.next(cell, round: count) {
      // With its warm-up and what it takes to end.
      now += offer.windowNanoseconds + 1_000_000_000
      offers.record(.held, window(offer))
      count += 1
    }
    #expect(count == 5)
  }
}
