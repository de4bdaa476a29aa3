import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct LoadOptionsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.sequence])])

  private func options(_ arguments: String...) throws -> LoadOptions {
    try LoadOptions(arguments, known: known)
  }

  @Test func `100 posts a second arrive for 30 seconds by default`() throws {
    let options = try options()
    #expect(options.rates == [100])
    #expect(options.durationNanoseconds == 30_000_000_000)
    #expect(options.windowNanoseconds == 3_000_000_000)
    #expect(options.schedule == .poisson)
    #expect(options.contenders.map(\.name) == ["a", "b"])
    #expect(options.scenarios.map(\.name) == ["publish-latency-10"])
    #expect(options.precision == nil)
  }

  @Test func `a rate is per second or per minute`() throws {
    #expect(try options("--rate", "500/s").rates == [500])
    #expect(try options("--rate", "90/m").rates == [1.5])
    #expect(try options("--rates", "100/s,2.5/s").rates == [100, 2.5])
  }

  @Test func `the seed reaches the scenario`() throws {
    #expect(try options("--seed", "9").scenarios[0].seed == 9)
    #expect(try options("--seed", "9").recording.seed == 9)
  }

  @Test func `an objective is a percentile and a time`() throws {
    let objective = try #require(try options("--slo", "p99=50ms").objective)
    #expect(objective.percentile == .p99)
    #expect(objective.nanoseconds == 50_000_000)
    #expect(try options("--rate", "1000/s", "--slo", "p99.9=1s").objective?.percentile == .p999)
    #expect(try options("--slo=max=2s").objective?.percentile == nil)
  }

  @Test func `a scenario decides which contenders take part`() throws {
    let options = try options("--patterns", "sequence,publish", "--fan-out", "4")
    #expect(options.contenders.map(\.name) == ["a", "b", "c"])
    #expect(options.participants["publish-instant-4"] == ["a", "b"])
    #expect(options.participants["sequence-instant-4"] == ["a", "b", "c"])
  }

  @Test(
    arguments: Refusal.table(
      """
      --rate 0/s => --rate “0/s”: give posts per second or minute, above zero and at most 1000000/s, such as 500/s or 30/m.
      --rate 500 => --rate “500”: give posts per second or minute, above zero and at most 1000000/s, such as 500/s or 30/m.
      --rate 5/h => --rate “5/h”: give posts per second or minute, above zero and at most 1000000/s, such as 500/s or 30/m.
      --rate nan/s => --rate “nan/s”: give posts per second or minute, above zero and at most 1000000/s, such as 500/s or 30/m.
      --rates 5/s, => --rates “5/s,” has an empty item: remove the extra comma.
      --rates 5/s,5.0/s => --rates names “5/s” and “5.0/s”, which are the same.
      --rate 5/s --rates 6/s => --rates and --rate exclude each other.
      --duration 0s => --duration “0s”: give a time above zero, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --duration 1s --window 2s => --window is longer than --duration: give a shorter --window.
      --slo p42=50ms => --slo “p42=50ms”: give one of p50, p90, p99, p99.9, p99.99, max, such as p99=50ms.
      --slo p99=50 => --slo “p99=50”: give a unit, such as p99=50ms.
      --slo p99 => --slo “p99”: give a percentile and its time, such as p99=50ms.
      --slo max=0 => --slo “max=0”: give a time above zero, of at most 240h, such as max=50ms.
      --slo p99=50ms --rate 10/s => p99 needs about 1126 posts: 10/s for 30s gives 300 posts. Give --duration 113s or more, or a higher rate.
      --rate 1/m --duration 10s => not one post arrives: 0.0166667/s for 10s gives 0 posts. Give --duration 60s or more, or a higher rate.
      --duration 1ns => not one post arrives: 100/s for 1ns gives 0 posts. Give --duration 1s or more, or a higher rate.
      --duration 1500us => not one post arrives: 100/s for 1.5ms gives 0 posts. Give --duration 1s or more, or a higher rate.
      --find-limit => --find-limit needs --slo, an objective such as --slo p99=50ms.
      --find-limit --slo p99=50ms --duration 10s => a search needs six windows or more, and 10s has no room for them: give a longer --duration or a shorter --window.
      --find-limit --slo p99=50ms --duration 1ms --window 100us => p99 needs about 1126 posts in a window, and a window takes a quarter of --duration at most: give --duration 5ms or more.
      --rate 1000000/s --duration 240h --window 1ns => 864000000000000 windows are too many to record: give a longer --window or a shorter --duration, for 1000000 at most.
      --rates 100/s,200/s --duration 500001us --window 1us => 1000002 windows are too many to record: give a longer --window or a shorter --duration, for 1000000 at most.
      --precision 5% => --precision needs --find-limit.
      --overlap 4 => publish-instant-100-overlap-4 sets when posts start, but `bench load` starts them at a rate: take a scenario without --overlap.
      --patterns presigned --behind 5 => presigned-instant-100-behind-5 measures only the last post, but `bench load` measures every post: take a scenario without --behind.
      --cancel-after 5ms => publish-latency-100-cancel-after-5ms cancels each post, but `bench load` cancels none: take a scenario without --cancel-after.
      --schedule posson => unknown schedule “posson”. Did you mean poisson?
      --contenders c => none of c implements publish.
      --rate 1000000/s --window 30s => 1e+06/s for 30s is too many posts: give a shorter --window.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) { _ = try LoadOptions($0, known: known) }
  }
}

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

  @Test func `every rate is offered once per pass, in varying order`() throws {
    let windows = all(try offers("--rates", "10/s,20/s,30/s", "--duration", "12s"))
    #expect(windows.count == 12)
    for pass in 0..<4 {
      #expect(Set(windows[3 * pass..<3 * pass + 3].map(\.postsPerSecond)) == [10, 20, 30])
    }
    // A rate must not always follow the same one.
    #expect(Set((0..<4).map { windows[3 * $0].postsPerSecond }).count > 1)
  }

  /// p99 needs about 1 126 posts: at 100/s a window of 11 s.
  @Test func `a window is long enough for its percentile`() throws {
    let windows = all(try offers("--rate", "100/s", "--duration", "30s", "--slo", "p99=50ms"))
    #expect(windows.map(\.windowNanoseconds) == [15_000_000_000, 15_000_000_000])
  }

  private func window(_ offer: LoadOffer) -> TakenWindow {
    TakenWindow(cell: cell, offer: offer, round: 0, position: 0, reply: LoadReading())
  }

  @Test func `a search starts where a window has enough posts`() throws {
    let offers = try offers("--find-limit", "--slo", "p99=50ms", "--duration", "10m")
    let first = try #require(offers.next(cell, round: 0))
    #expect(first.windowNanoseconds == 3_000_000_000)
    #expect(Int(first.postsPerSecond) == 375)
    #expect(offers.total == nil)
  }

  @Test func `a search ends within its time`() throws {
    var now: UInt64 = 0
    let offers = try offers("--find-limit", "--slo", "p99=50ms", "--duration", "20s") { now }
    var count = 0
    while let offer = offers.next(cell, round: count) {
      now += offer.windowNanoseconds + 1_000_000_000
      offers.record(.held, window(offer))
      count += 1
    }
    #expect(count == 5)
  }

  private let folder = RecordedFolder()

  private func measure(
    _ arguments: [String], _ answer: @escaping (String, LoadRequest) throws(WorkerFailure) -> LoadReading
  ) throws -> (analysis: LoadAnalysis, rows: [[Substring]]) {
    let options = try LoadOptions(arguments + ["--quiet"], known: ContenderList([Named("a"), Named("b")]))
    let session = try LoadSession.measure(
      options, scenarios: options.scenarios, in: RunDirectory.create(name: "r", in: folder.path),
      launcher: fakeWorkers(answer))
    let text = try String(contentsOfFile: session.directory.path + "/load.csv", encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    return (session.analysis, lines)
  }

  /// Every post that is due takes this long.
  private static func reply(_ request: LoadRequest, latencyNanoseconds: UInt64) -> LoadReading {
    var reply = LoadReading()
    reply.windowNanoseconds = Int(request.windowNanoseconds)
    reply.posts.due = Int(request.postsPerSecond * Double(request.windowNanoseconds) / 1e9)
    reply.posts.completed = reply.posts.due
    for _ in 0..<reply.posts.due { reply.latencies.add(latencyNanoseconds) }
    return reply
  }

  @Test func `a contender that fails takes no further window and the others go on`() throws {
    var requested = 0
    let (analysis, rows) = try measure(["--rate", "100/s", "--duration", "3s", "--window", "1s"]) {
      contender, request throws(WorkerFailure) in
      if contender == "b" { requested += 1 }
      if contender == "b", requested > 2 { throw .silent(seconds: 9) }
      return Self.reply(request, latencyNanoseconds: 1_000_000)
    }
    let place = try #require(rows[0].firstIndex(of: "contender"))
    #expect(rows.dropFirst().map { String($0[place]) }.sorted() == ["a", "a", "a", "b", "b"])
    let (a, b) = (analysis.summaries[0], analysis.summaries[1])
    #expect(a.outcome == .measured)
    #expect(
      b.outcome == .timedOut && b.reason == "the worker process gave no answer within 9 s and was killed")
  }

  @Test func `a search finds the highest rate that meets the objective`() throws {
    let (analysis, _) = try measure([
      "--find-limit", "--slo", "p99=50ms", "--duration", "10m", "--precision", "10%",
    ]) { _, request throws(WorkerFailure) in
      Self.reply(request, latencyNanoseconds: request.postsPerSecond <= 700 ? 1_000_000 : 90_000_000)
    }
    #expect(analysis.limits.map(\.contender) == ["a", "b"])
    for limit in analysis.limits {
      let (held, missed) = (try #require(limit.heldPerSecond), try #require(limit.missedPerSecond))
      #expect(held <= 700 && 700 < missed && missed <= 1.11 * held)
      #expect(limit.outcome == .measured && limit.reason == nil)
    }
  }
}
