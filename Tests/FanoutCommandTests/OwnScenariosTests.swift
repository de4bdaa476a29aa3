import Foundation
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct OwnScenariosTests {
  private func scenario(_ arguments: [String]) throws -> Scenario {
    let scenarios = try ScenarioOptions.scenarios(Options(arguments, known: ScenarioOptions.options))
    return try #require(scenarios?.first)
  }

  @Test func `every option reaches its scenario`() throws {
    let presigned = try scenario(["--patterns", "presigned", "--prepare", "2ms", "--limit", "4"])
    #expect(presigned.prepareTime == .milliseconds(2) && presigned.preparePasses > 1)
    #expect(presigned.limit == 4)
    let stream = try scenario([
      "--patterns", "stream", "--chunk", "1KiB", "--buffer", "0", "--uploaders", "2", "--payload", "10KiB",
    ])
    #expect((stream.photos, stream.videos) == (1, 0))
    #expect((stream.chunkBytes, stream.bufferCapacity, stream.uploaders) == (1_024, 0, 2))
    #expect(stream.fanOut == 10)
    let race = try scenario([
      "--patterns", "race", "--hedge", "7ms", "--fault", "silence", "--fail-at", "1", "--mirror", "primary",
    ])
    #expect(race.hedgeDelay == .milliseconds(7))
    #expect(race.faults == Faults(failAt: 1, kind: .silence, mirror: .primary, seed: 1))
    let resilient = try scenario([
      "--patterns", "resilient", "--attempts", "5", "--attempt-timeout", "90ms", "--deadline", "60s",
      "--backoff", "3s", "--fault", "transient", "--fail-at", "1", "--fail-attempts", "2", "--seed", "9",
    ])
    #expect(
      resilient.retry
        == RetryPolicy(
          attempts: 5, attemptDeadline: .milliseconds(90), deadline: .seconds(60), firstBackoff: .seconds(3),
          longestBackoff: .seconds(3), seed: 9))
    #expect(resilient.faults == Faults(failAt: 1, kind: .transient, failingAttempts: 2, seed: 9))
  }

  @Test func `overlap is set by its option alone`() throws {
    let steady = try scenario(["--fan-out", "10", "--overlap", "16"])
    #expect(steady.overlap == 16 && steady.name == "publish-instant-10-overlap-16")
    #expect(steady.summary == "publish 10 uploads, on instant, 16 posts at once")
    #expect(try scenario(["--fan-out", "10"]).overlap == nil)
  }

  @Test(arguments: [
    (["--behind", "50"], 50, PostPriority.high, "presigned-instant-3-behind-50"),
    (["--behind", "50", "--priority", "low"], 50, .low, "presigned-instant-3-behind-50-priority-low"),
    (["--priority", "low"], 0, .low, "presigned-instant-3-priority-low"),
    (["--behind", "0"], 0, .normal, "presigned-instant-3-behind-0"),
  ])
  func `a post behind others has high priority unless the options say otherwise`(
    arguments: [String], behind: Int, priority: PostPriority, name: String
  ) throws {
    let scenario = try scenario(["--patterns", "presigned", "--fan-out", "3"] + arguments)
    #expect(scenario.behind == behind)
    #expect(scenario.priority == priority)
    #expect(scenario.name == name)
  }

  @Test func `a stream has 64 chunks unless the payload says otherwise`() throws {
    #expect(try scenario(["--patterns", "stream"]).fanOut == 64)
    #expect(try scenario(["--patterns", "stream", "--chunk", "128"]).payloadBytes == 64 * 128)
  }

  @Test(arguments: [
    (["--patterns", "blocking"], ServiceKind.blocking), (["--patterns", "race"], .instant),
    (["--patterns", "race", "--hedge", "1ms"], .latency), (["--patterns", "resilient"], .instant),
    (["--patterns", "resilient", "--backoff", "1ms"], .latency),
    (["--patterns", "resilient", "--attempt-timeout", "1s"], .latency),
    (["--patterns", "resilient", "--deadline", "1s"], .latency),
    (["--patterns", "publish", "--fail-at", "1", "--fault", "silence", "--cancel-after", "1ms"], .latency),
    (["--patterns", "presigned", "--store", "x"], .file),
  ])
  func `the default service is one that the other options need`(arguments: [String], service: ServiceKind)
    throws
  { #expect(try scenario(arguments).service == service) }

  @Test(arguments: [
    ["--limit", "101", "--fan-out", "100"], ["--patterns", "stream", "--buffer", "0"],
    ["--patterns", "resilient", "--deadline", "0s"],
    ["--patterns", "resilient", "--attempt-timeout", "0s"], ["--patterns", "race", "--hedge", "0s"],
    ["--patterns", "resilient", "--backoff", "0s"], ["--patterns", "presigned", "--prepare", "1ns"],
    ["--fan-out", "0"], ["--patterns", "stream", "--payload", "0"],
  ])
  func `unusual options with a meaning are accepted`(arguments: [String]) throws {
    #expect(try scenario(arguments).problem == nil)
  }

  @Test(
    arguments: Refusal.table(
      """
      --fan-out 1000001 => --fan-out “1000001”: give a whole number from 0 to 1000000.
      --patterns resilient --attempts 0 => --attempts “0”: give a whole number from 1 to 200.
      --patterns stream --uploaders 0 => --uploaders “0”: give a whole number from 1 to 1000000.
      --patterns stream --buffer -1 => --buffer “-1”: give a whole number from 0 to 1000000.
      --patterns stream --chunk 12 => the size of a chunk must be a multiple of 8 bytes, not 12.
      --patterns stream --payload 1024GiB --chunk 8 --failure-rate 0.1 => a stream has at most 1000000 chunks, not 137438953472: use larger chunks.
      --patterns race --hedge -1ms => --hedge “-1ms”: give a time of zero or more, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --behind 5 => --behind does not apply to publish: it is for presigned.
      --patterns race --priority high => --priority does not apply to race: it is for presigned.
      --patterns presigned --behind -1 => --behind “-1”: give a whole number from 0 to 100000.
      --patterns presigned --behind 1000000 => --behind “1000000”: give a whole number from 0 to 100000.
      --patterns publish --hedge 1ms => --hedge does not apply to publish: it is for race.
      --patterns race,stream --hedge 1ms => --hedge does not apply to stream: it is for race.
      --patterns race --limit 3 => --limit does not apply to race: this pattern starts all uploads at once.
      --patterns stream --fan-out 3 => --fan-out does not apply to stream: this pattern uploads one media file of --payload bytes, which --uploaders take in chunks of --chunk.
      --patterns stream --media x => --media does not apply to stream: this pattern uploads one media file of --payload bytes, which --uploaders take in chunks of --chunk.
      --patterns stream --fail-at 64 => --fail-at 64: this stream has 64 chunks; they are counted from 0.
      --fault transient => --fault needs --fail-at or --failure-rate, which say what fails.
      --patterns race --mirror primary => --mirror needs --fail-at or --failure-rate, which say what fails.
      --fault slience --fail-at 1 => unknown fault “slience”. Did you mean silence?
      --patterns resilient --failure-rate 1 --fault transient --fail-attempts 1 => --fail-attempts needs --fail-at, which says what fails.
      --patterns resilient --fail-at 1 --fail-attempts 1 => --fail-attempts needs --fault transient or silence: a refused request is not tried again.
      --patterns resilient --fail-at 1 --fault silence => --fault silence needs --attempt-timeout or --deadline: the upload would never end.
      --patterns resilient --service instant --attempt-timeout 5ms => an attempt deadline of 0.005 seconds leaves it to chance whether an answer comes in time: give 0.02 seconds or more, or 0.
      --patterns race --fail-at 1 --fault silence => --fault silence needs --mirror: with two silent mirrors, the race would never end.
      --fail-at 1 --fault silence => --fault silence needs --cancel-after: publish would never end. (The patterns race and resilient end without an answer.)
      --fail-at 1 --fault silence --service instant => --fault silence needs --service latency or http: instant answers every request.
      --service http => --service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL.
      --endpoint 127.0.0.1:80 => --endpoint “127.0.0.1:80” is not an endpoint: give the whole URL, such as http://127.0.0.1:8080/uploads.
      --endpoint http://me:secret@h/ => --endpoint “http://me:secret@h/” is not an endpoint: a user name or password would be recorded with the run: leave it out.
      --endpoint http://h --service latency => --endpoint needs --service http: latency is in this process.
      --endpoint http://h --service http,file --store x => --store is ambiguous with the services file and http: give one of them.
      --endpoint http://h --fsync => --fsync needs --service file: http writes nothing to this machine's disk.
      --service http,htpt => unknown service “htpt”. Did you mean http?
      --service http --endpoint http://h --order reverse => --order needs --service latency: http has no set order.
      """))
  func `options that contradict each other are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) { _ = try scenario($0) }
  }

  @Test(arguments: [
    (["--endpoint", "http://h:1/up/"], [ServiceKind.http, .instant]),
    (["--endpoint", "http://h:1/up", "--service", "http"], [.http]),
    (["--endpoint", "http://h:1/up", "--service", "http,latency,instant"], [.http, .latency, .instant]),
    (["--endpoint", "http://h:1/up", "--cancel-after", "9ms"], [.http]),
    (["--service", "instant,latency"], [.instant, .latency]),
  ])
  func `each named service gets a scenario of its own`(arguments: [String], services: [ServiceKind]) throws {
    let scenarios = try #require(
      try ScenarioOptions.scenarios(Options(arguments, known: ScenarioOptions.options)))
    #expect(scenarios.map(\.service) == services)
    #expect(scenarios.map(\.endpoint) == services.map { $0 == .http ? "http://h:1/up" : nil })
    #expect(Set(scenarios.map(\.name)).count == services.count)
  }

  @Test func `a scenario name that is too long ends in a checksum of the whole name`() throws {
    // The names differ only in the part that is cut off.
    let digits = "0." + String(repeating: "0", count: 120)
    let names = try ["1", "2", "1"].map { try scenario(["--failure-rate", digits + $0]).name }
    for name in names { try RecordName.check(name) }
    #expect(names[0] != names[1] && names[0] == names[2])
    // One byte longer than the limit.
    let arguments = [
      "--patterns", "resilient", "--service", "latency", "--fan-out", "1000", "--payload", "256KiB",
      "--attempts", "5", "--attempt-timeout", "500ms", "--deadline", "2s", "--backoff",
    ]
    let both = try ["0001000ms", "00001000ms"].map { try scenario(arguments + [$0]).name }
    #expect(both.map(\.utf8.count) == [100, 99])
    #expect(both[0].hasSuffix("-backoff-0001000ms"))
  }

  @Test func `a scenario name says every choice`() throws {
    let arguments = ["--patterns", "race", "--hedge", "7µs", "--failure-rate", "0.1", "--mirror", "primary"]
    #expect(try scenario(arguments).name == "race-latency-100-hedge-7us-failure-rate-0.1-mirror-primary")
  }

  @Test func `media files that change during a run are detected`() throws {
    let folder = Scratch()
    try folder.write("one", to: "a.jpg")
    let scenario = try scenario(["--media", folder.path])
    #expect(Wiring.changedMedia(of: [scenario]) == nil)
    try folder.write("two", to: "a.jpg")
    #expect(Wiring.changedMedia(of: [scenario]) == folder.path)
    unlink(folder.path("a.jpg"))
    #expect(Wiring.changedMedia(of: [scenario]) == folder.path)
  }
}

@Suite(.ownThread) struct RunOptionsTests {
  private let known = ContenderList(
    [Named("callbacks"), Named("gcd-groups"), Named("coroutines")],
    variants: [Named("gcd-groups/work-items", [.publish]), Named("coroutines/scope", [.publish, .race])])

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
      "1", "--with-controls")
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

  // Globs; every pattern with every fan-out, and with every order; lookups, which have one size.
  @Test(
    arguments: [
      (
        "--scenario zip-l*,publish-instant-1,publish-instant-1*",
        [
          "zip-latency-3", "publish-instant-1", "publish-instant-10", "publish-instant-100",
          "publish-instant-1000", "publish-instant-10000", "publish-instant-1000-limit-8",
          "publish-instant-10-back-to-back", "publish-instant-10-overlap-16",
        ]
      ),
      (
        "--patterns publish,sequence --fan-out 1,10 --limit 4",
        [
          "publish-instant-1-limit-4", "publish-instant-10-limit-4", "sequence-instant-1-limit-4",
          "sequence-instant-10-limit-4",
        ]
      ),
      (
        "--order forward,reverse --fan-out 1,10",
        [
          "publish-latency-1-forward", "publish-latency-1-reverse", "publish-latency-10-forward",
          "publish-latency-10-reverse",
        ]
      ),
      ("--patterns zip,zip-serial", ["zip-instant-3", "zip-serial-instant-3"]),
    ])
  func `options choose the scenarios and their names`(arguments: String, names: [String]) throws {
    let options = try RunOptions(arguments.split(separator: " ").map(String.init), known: known)
    #expect(options.scenarios.map(\.name) == names)
  }

  @Test func `more shards than scenarios leave some empty`() throws {
    let empty = try options("--fan-out", "1,10", "--shard", "3/3")
    #expect(empty.scenarios.isEmpty)
    #expect(empty.shard?.scenarios == [["publish-instant-1"], ["publish-instant-10"], []])
  }

  @Test func `a cancel, an order, a latency or held answers select the latency service`() throws {
    #expect(try options("--cancel-after", "5ms").scenarios.map(\.service) == [.latency])
    #expect(try options("--order", "reverse").scenarios.map(\.order) == [.reverse])
    let slow = try options("--latency", "20ms").scenarios
    #expect(slow.map(\.latency) == [.logNormal(medianNanoseconds: 20_000_000, sigma: 0.5)])
    #expect(slow.map(\.name) == ["publish-latency-100-latency-20ms"])
    #expect(try options("--latency", "1ms", "--patterns", "blocking").scenarios.map(\.service) == [.blocking])
    let held = try options("--hold", "--order", "reverse").scenarios
    #expect(held.map(\.name) == ["publish-latency-100-hold-reverse"] && held.allSatisfy(\.holdsAnswers))
    #expect(try options("--patience", "90s").recording.timeoutNanoseconds == 90_000_000_000)
    #expect(try options().recording.timeoutNanoseconds == nil)
    #expect(try options("--patterns", "zip", "--fail-at", "2").scenarios[0].faults.failAt == 2)
  }

  @Test(
    arguments: Refusal.table(
      """
      --contenders corutines => unknown contender “corutines”. Did you mean coroutines?
      --contenders , => --contenders is empty: give a value, or leave it out.
      --contenders callbacks,,coroutines => --contenders “callbacks,,coroutines” has an empty item: remove the extra comma.
      --contenders coroutines/*,gcd-grups/* => no contender matches “gcd-grups/*”. Did you mean gcd-groups/work-items?
      --contenders */nothing-like-it => no contender matches “*/nothing-like-it”. Known: callbacks, gcd-groups, coroutines, gcd-groups/work-items, coroutines/scope.
      --contenders gcd-groups/work-items --patterns race => none of gcd-groups/work-items implements race.
      --contenders gcd-groups/work-items,callbacks --patterns race => gcd-groups/work-items takes part in none of these scenarios. It implements publish.
      --machine my␣machine => --machine is "my machine"; a name is a letter or digit followed by at most 99 letters, digits or - _ . : = + / @.
      --patterns publsh => unknown pattern “publsh”. Did you mean publish?
      --scenario publish-instant-11 => unknown scenario “publish-instant-11”. Did you mean publish-instant-1?
      --scenario publish-instnt-1* => no scenario matches “publish-instnt-1*”. Did you mean publish-instant-1, publish-instant-10 or publish-instant-100?
      --scenario upload-me => unknown scenario “upload-me”. Known: \(Catalog.named.prefix(12).map(\.name).joined(separator: ", ")) and \(Catalog.named.count - 12) more.
      --full --quick => --full and --quick exclude each other.
      --full --scenario zip-latency-3 => --full and --scenario exclude each other.
      --scenario publish-http-100 => --service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL.
      --scenario zip-latency-3 --endpoint http://127.0.0.1:1 => --scenario and --endpoint exclude each other: a named scenario cannot be changed.
      --patterns presigned --prepare 4 => --prepare takes a time with its unit, such as 200us, above zero and at most 60s.
      --patterns presigned --prepare 0us => --prepare takes a time with its unit, such as 200us, above zero and at most 60s.
      --patterns presigned --prepare 2m => --prepare takes a time with its unit, such as 200us, above zero and at most 60s.
      --format tble => unknown format “tble”. Did you mean table?
      --reference gcd => unknown contender “gcd”. Did you mean gcd-groups?
      --contenders callbacks --reference coroutines => --reference coroutines is not measured: add it to --contenders.
      --fan-out 1,1 => --fan-out names “1” twice.
      --fan-out 5,+1,1 => --fan-out names “+1” and “1”, which are the same.
      --limit 0 => --limit “0”: give a whole number from 1 to 1000000.
      --failure-rate 1.1 => --failure-rate “1.1”: give a number from 0 to 1.
      --fail-at 100 => --fail-at 100: a post of 100 media files has no media file 100; they are counted from 0.
      --service instant --cancel-after 1ms => --cancel-after needs --service latency: with instant, the job would end before it is cancelled.
      --service instant --order reverse => --order needs --service latency: instant has no set order.
      --service latency --store x => --store needs --service file or http: latency keeps no bytes.
      --latency 20ms --service instant => --latency needs --service latency or blocking: instant has no set latency.
      --latency 20ms --hold => --latency and --hold exclude each other: --hold sets when requests are answered.
      --hold --patterns race => race cannot have all its uploads in flight, so their answers cannot be held: use publish.
      --order forward,forward => --order names “forward” twice.
      --order forward,revers => unknown order “revers”. Did you mean reverse?
      --scenario publish-instant-1 --fan-out 3 => --scenario and --fan-out exclude each other: a named scenario cannot be changed.
      --patterns zip --fan-out 5 => --fan-out does not apply to zip: this pattern has three lookups and no media files.
      --patterns zip --limit 2 => --limit does not apply to zip: this pattern has three lookups and no media files.
      --patterns zip --fail-at 3 => --fail-at 3: zip has three lookups; they are counted from 0.
      --media x --fan-out 3 => --media and --fan-out exclude each other: a post has all media files of the folder.
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
    #expect(dealt[0].scenarios.joined().sorted() == Catalog.standard.map(\.name).sorted())
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
