import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct RunOptionsTests {
  private let known = ContenderList(
    [Named("callbacks"), Named("gcd-groups"), Named("coroutines")],
    variants: [
      Named("gcd-groups/work-items", [.publish]), Named("coroutines/scope", [.publish, .race]),
    ])

  private func options(_ arguments: String...) throws -> RunOptions {
    try RunOptions(arguments, known: known)
  }

  @Test func `the standard scenarios run for a minute by default`() throws {
    let options = try options()
    #expect(options.contenders.map(\.name) == ["callbacks", "gcd-groups", "coroutines"])
    #expect(options.scenarios.map(\.name) == Catalog.standard.map(\.name))
    #expect(options.recording.budgetNanoseconds == 60_000_000_000)
    #expect(options.reference == "callbacks")
  }

  @Test func `quick measures few scenarios`() throws {
    let options = try options("--quick")
    #expect(options.recording.generations == 2)
    #expect(options.scenarios.map(\.fanOut) == [1, 100, 1_000, 100])
  }

  @Test func `contenders keep the registry's order and the first is the reference`() throws {
    let options = try options("--contenders", "coroutines,gcd-groups")
    #expect(options.contenders.map(\.name) == ["gcd-groups", "coroutines"])
    #expect(options.reference == "gcd-groups")
  }

  @Test func `controls take part wherever the reference does`() throws {
    let options = try options(
      "--contenders", "gcd-groups/work-items,coroutines/scope", "--patterns", "publish,race", "--fan-out",
      "1",
      "--with-controls")
    let controls = ["gcd-groups/work-items+0", "gcd-groups/work-items+5", "gcd-groups/work-items+10"]
    #expect(
      options.participants == [
        "publish-instant-1": ["gcd-groups/work-items", "coroutines/scope"] + controls + ["service"],
        "race-instant-1": ["coroutines/scope"],
      ])
    #expect(options.controls.map(\.name) == controls)
    #expect(
      options.controls.map(\.workerOptions) == [
        ["--contender", "gcd-groups/work-items"],
        ["--contender", "gcd-groups/work-items", "--slow-down", "0.05"],
        ["--contender", "gcd-groups/work-items", "--slow-down", "0.1"],
      ])
  }

  @Test func `scenarios are chosen by globs`() throws {
    let names = try options("--scenario", "zip-l*,publish-instant-1,publish-instant-1*").scenarios.map(\.name)
    #expect(
      names == [
        "zip-latency-3", "publish-instant-1", "publish-instant-10", "publish-instant-100",
        "publish-instant-1000", "publish-instant-10000", "publish-instant-1000-limit-8",
        "publish-instant-10-back-to-back", "publish-instant-10-overlap-16",
      ])
  }

  @Test func `every pattern is combined with every fan-out`() throws {
    let options = try options("--patterns", "publish,sequence", "--fan-out", "1,10", "--limit", "4")
    #expect(
      options.scenarios.map(\.name) == [
        "publish-instant-1-limit-4", "publish-instant-10-limit-4", "sequence-instant-1-limit-4",
        "sequence-instant-10-limit-4",
      ])
  }

  @Test func `more shards than scenarios leave some empty`() throws {
    let empty = try options("--fan-out", "1,10", "--shard", "3/3")
    #expect(empty.scenarios.isEmpty)
    #expect(empty.shard?.scenarios == [["publish-instant-1"], ["publish-instant-10"], []])
  }

  @Test func `a cancel, an order or held answers select the latency service`() throws {
    #expect(try options("--cancel-after", "5ms").scenarios.map(\.service) == [.latency])
    #expect(try options("--order", "reverse").scenarios.map(\.order) == [.reverse])
    #expect(
      try options("--order", "forward,reverse", "--fan-out", "1,10").scenarios.map(\.name) == [
        "publish-latency-1-forward", "publish-latency-1-reverse", "publish-latency-10-forward",
        "publish-latency-10-reverse",
      ])
    let held = try options("--hold", "--order", "reverse").scenarios
    #expect(held.map(\.name) == ["publish-latency-100-hold-reverse"] && held.allSatisfy(\.holdsAnswers))
    #expect(try options("--patience", "90s").recording.timeoutNanoseconds == 90_000_000_000)
    #expect(try options().recording.timeoutNanoseconds == nil)
  }

  @Test(
    arguments: Refusal.table(
      """
      --contenders corutines => unknown contender “corutines”. Did you mean coroutines?
      --contenders '' => --contenders is empty: give a value, or leave it out.
      --contenders , => --contenders is empty: give a value, or leave it out.
      --contenders callbacks,,coroutines => --contenders “callbacks,,coroutines” has nothing between two commas, or at an end.
      --contenders coroutines/*,gcd-grups/* => no contender matches “gcd-grups/*”. Did you mean gcd-groups/work-items?
      --contenders */nothing-like-it => no contender matches “*/nothing-like-it”. Known: callbacks, gcd-groups, coroutines, gcd-groups/work-items, coroutines/scope.
      --contenders gcd-groups/work-items --patterns race => none of gcd-groups/work-items writes race.
      --contenders gcd-groups/work-items,callbacks --patterns race => gcd-groups/work-items takes part in none of these scenarios, but in publish.
      --shard 5/4 => --shard “5/4”: give I/N, such as 2/4, with I from 1 to N and N of at most 1000.
      --machine my␣machine => --machine is "my machine"; a name is a letter or digit followed by at most 99 letters, digits or - _ . : = + / @.
      --patterns publsh => unknown pattern “publsh”. Did you mean publish?
      --service latncy => unknown service “latncy”. Did you mean latency?
      --scenario publish-instant-11 => unknown scenario “publish-instant-11”. Did you mean publish-instant-1?
      --scenario publish-instnt-1* => no scenario matches “publish-instnt-1*”. Did you mean publish-instant-1, publish-instant-10 or publish-instant-100?
      --scenario upload-me => unknown scenario “upload-me”. Known: \(Catalog.named.prefix(12).map(\.name).joined(separator: ", ")) and \(Catalog.named.count - 12) more.
      --full --quick => --full and --quick exclude each other.
      --full --scenario zip-latency-3 => --full and --scenario exclude each other.
      --scenario publish-http-100 => --service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL.
      --scenario zip-latency-3 --endpoint http://127.0.0.1:1 => --scenario and --endpoint exclude each other: a named scenario has its own data.
      --patterns presigned --prepare 4 => --prepare takes a time with its unit, such as 200us, of at most 60s.
      --format tble => unknown format “tble”. Did you mean table?
      --reference gcd => unknown contender “gcd”. Did you mean gcd-groups?
      --contenders callbacks --reference coroutines => --reference coroutines is not measured: add it to --contenders.
      --fan-out 1,1 => --fan-out names “1” twice.
      --fan-out 1,01 => --fan-out names “1” and “01”, which are the same.
      --fan-out 5,+1,1 => --fan-out names “+1” and “1”, which are the same.
      --contenders coroutines,coroutines => --contenders names “coroutines” twice.
      --limit 0 => --limit “0”: give a whole number from 1 to 1000000.
      --fan-out 1,x => --fan-out “x”: give a whole number from 0 to 1000000.
      --failure-rate 1.1 => --failure-rate “1.1”: give a number from 0 to 1.
      --fail-at 100 => --fail-at 100: a post of 100 media files has no media file 100; they are counted from 0.
      --service instant --cancel-after 1ms => --cancel-after needs --service latency: on instant the job would end before the cancel.
      --service instant --order reverse => --order needs --service latency: instant completes as it goes.
      --service latency --store x => --store needs --service file or http: latency keeps no bytes.
      --hold --service instant => instant holds nothing: use latency.
      --hold --patterns race => race never has all its uploads in flight: hold publish.
      --hold --fail-at 3 => what fails or is cancelled might never have all in flight: hold what succeeds.
      --order forward,forward => --order names “forward” twice.
      --order forward,revers => unknown order “revers”. Did you mean reverse?
      --scenario publish-instant-1 --fan-out 3 => --scenario and --fan-out exclude each other: a named scenario has its own data.
      --patterns zip --fan-out 5 => --fan-out means nothing to zip: it has three lookups and no media files.
      --patterns zip --limit 2 => --limit means nothing to zip: it has three lookups and no media files.
      --patterns zip --payload 1KiB => --payload means nothing to zip: it has three lookups and no media files.
      --patterns zip --fail-at 3 => --fail-at 3: zip has three lookups; they are counted from 0.
      --media x --fan-out 3 => --media and --fan-out exclude each other: the folder decides how many.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) { _ = try RunOptions($0, known: known) }
  }

  @Test func `variants take part on request, in the patterns they implement`() throws {
    let options = try options("--contenders", "callbacks,*/*", "--patterns", "publish,race")
    #expect(options.contenders.map(\.name) == ["callbacks", "gcd-groups/work-items", "coroutines/scope"])
    #expect(
      options.participants == [
        "publish-instant-100": ["callbacks", "gcd-groups/work-items", "coroutines/scope", "service"],
        "race-instant-100": ["callbacks", "coroutines/scope"],
      ])
  }

  @Test func `patterns without a contender are left out by default`() throws {
    let options = try options("--contenders", "coroutines/*", "--full")
    #expect(Set(options.scenarios.map(\.pattern)) == [.publish, .race])
    #expect(options.reference == "coroutines/scope")
  }

  @Test func `lookups are one scenario`() throws {
    #expect(
      try options("--patterns", "zip,zip-serial").scenarios.map(\.name) == [
        "zip-instant-3", "zip-serial-instant-3",
      ])
    #expect(try options("--patterns", "zip", "--fail-at", "2").scenarios[0].faults.failAt == 2)
  }
}

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
}
