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
    (["--patterns", "blocking"], ServiceKind.blocking),
    (["--patterns", "race"], .instant),
    (["--patterns", "race", "--hedge", "1ms"], .latency),
    (["--patterns", "resilient"], .instant),
    (["--patterns", "resilient", "--backoff", "1ms"], .latency),
    (["--patterns", "resilient", "--attempt-timeout", "1s"], .latency),
    (["--patterns", "resilient", "--deadline", "1s"], .latency),
    (["--patterns", "publish", "--fail-at", "1", "--fault", "silence", "--cancel-after", "1ms"], .latency),
    (["--patterns", "presigned", "--store", "x"], .file),
  ])
  func `the default service is one that the other options need`(arguments: [String], service: ServiceKind)
    throws
  {
    #expect(try scenario(arguments).service == service)
  }

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
      --limit -1 => --limit “-1”: give a whole number from 1 to 1000000.
      --fan-out 1000001 => --fan-out “1000001”: give a whole number from 0 to 1000000.
      --patterns resilient --attempts 0 => --attempts “0”: give a whole number from 1 to 200.
      --patterns stream --uploaders 0 => --uploaders “0”: give a whole number from 1 to 1000000.
      --patterns stream --buffer -1 => --buffer “-1”: give a whole number from 0 to 1000000.
      --patterns stream --chunk 12 => a chunk has 8 bytes or a multiple of it, not 12.
      --patterns stream --chunk 0 => a chunk has 8 bytes or a multiple of it, not 0.
      --patterns stream --payload 1024GiB --chunk 8 --failure-rate 0.1 => a stream has at most 1000000 chunks, not 137438953472: make them larger.
      --patterns stream --service file => file takes no chunks: use instant or latency.
      --patterns race --hedge -1ms => --hedge “-1ms”: give a time of zero or more, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --patterns resilient --deadline -5s => --deadline “-5s”: give a time of zero or more, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --patterns resilient --backoff -1ms => --backoff “-1ms”: give a time of zero or more, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --cancel-after -1ms => --cancel-after “-1ms”: give a time above zero, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --patterns resilient --deadline soon => --deadline “soon”: give a time of zero or more, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h.
      --patterns publish --service blocking => the blocking service is for the blocking pattern.
      --patterns blocking --service latency => the calls of the latency service do not block: use the blocking service.
      --behind 5 => --behind means nothing to publish: it is for presigned.
      --patterns race --priority high => --priority means nothing to race: it is for presigned.
      --patterns presigned --behind -1 => --behind “-1”: give a whole number from 0 to 100000.
      --patterns presigned --behind 1000000 => --behind “1000000”: give a whole number from 0 to 100000.
      --patterns presigned --behind 5 --service file => file has queues of its own, which know no priorities: use instant or latency.
      --patterns presigned --behind 5 --fan-out 0 => a post without media has nothing to wait with: give it one or more.
      --patterns publish --hedge 1ms => --hedge means nothing to publish: it is for race.
      --patterns race,stream --hedge 1ms => --hedge means nothing to stream: it is for race.
      --patterns race --limit 3 => --limit means nothing to race: all its uploads are under way at once.
      --patterns stream --fan-out 3 => --fan-out means nothing to stream: its post has one media file of --payload bytes, which --uploaders take in chunks of --chunk.
      --patterns stream --media x => --media means nothing to stream: its post has one media file of --payload bytes, which --uploaders take in chunks of --chunk.
      --patterns stream --fail-at 64 => --fail-at 64: this stream has 64 chunks; they are counted from 0.
      --fault transient => --fault says how something fails: say what, with --fail-at or --failure-rate.
      --patterns race --mirror primary => --mirror says how something fails: say what, with --fail-at or --failure-rate.
      --fault slience --fail-at 1 => unknown fault “slience”. Did you mean silence?
      --patterns resilient --failure-rate 1 --fault transient --fail-attempts 1 => --fail-attempts needs --fail-at: the attempts are at that.
      --patterns resilient --fail-at 1 --fail-attempts 1 => --fail-attempts needs --fault transient or silence: what is refused is not tried again.
      --patterns resilient --fail-at 1 --fault silence => --fault silence needs --attempt-timeout or --deadline: the upload would be waited for without end.
      --patterns resilient --service instant --attempt-timeout 5ms => an attempt deadline of 0.005 seconds leaves it to chance whether an answer comes in time: give 0.02 seconds or more, or 0.
      --patterns race --fail-at 1 --fault silence => --fault silence needs --mirror: with both silent the race would never end.
      --fail-at 1 --fault silence => --fault silence needs --cancel-after: publish would never end. (race and resilient cope with it.)
      --fail-at 1 --fault silence --service instant => --fault silence needs --service latency or http: instant answers everything.
      --service http => --service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL.
      --endpoint 127.0.0.1:80 => --endpoint “127.0.0.1:80” is no endpoint: give the whole URL, such as http://127.0.0.1:8080/uploads.
      --endpoint http://me:secret@h/ => --endpoint “http://me:secret@h/” is no endpoint: a name or a password would be recorded with the run: leave it out.
      --endpoint http://h --service latency => --endpoint needs --service http: latency is in this process.
      --endpoint http://h --service http,file --store x => --store is either the file service's or the http server's: name one of them.
      --endpoint http://h --fsync => --fsync needs --service file: http writes nothing to this machine's disk.
      --service http,htpt => unknown service “htpt”. Did you mean http?
      --service http --endpoint http://h --order reverse => --order needs --service latency: http completes as it goes.
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
    // What differs is where the name is cut off.
    let digits = "0." + String(repeating: "0", count: 120)
    let names = try ["1", "2", "1"].map { try scenario(["--failure-rate", digits + $0]).name }
    for name in names { try RecordName.check(name) }
    #expect(names[0] != names[1] && names[0] == names[2])
    // One byte decides.
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
    let folder = try Scratch()
    try Data("one".utf8).write(to: URL(fileURLWithPath: folder.path("a.jpg")))
    let directory = URL(fileURLWithPath: folder.path("a.jpg")).deletingLastPathComponent().path
    let scenario = try scenario(["--media", directory])
    #expect(Wiring.changedMedia(of: [scenario]) == nil)
    // As long as before.
    try Data("two".utf8).write(to: URL(fileURLWithPath: folder.path("a.jpg")))
    #expect(Wiring.changedMedia(of: [scenario]) == directory)
    unlink(folder.path("a.jpg"))
    #expect(Wiring.changedMedia(of: [scenario]) == directory)
  }
}
