import Exports
import Foundation
import Results
import TestSupport
import Testing
import Verdicts

/// Requirements of Perfetto's and Chrome's viewers.
@Suite(.ownThread) struct TraceFileTests {
  typealias Moment = PostTrace.Moment
  typealias Event = [String: Any]

  /// Two uploads from a pool, one with a second attempt within an answer, and a post from another thread.
  private static let pool = PostTrace(
    requests: [
      PostTrace.Request(
        index: 0, asked: Moment(thread: 1, nanoseconds: 1_100), askReturned: 1_300,
        answered: Moment(thread: 2, nanoseconds: 5_000), answerReturned: 5_900),
      PostTrace.Request(
        index: 1, asked: Moment(thread: 1, nanoseconds: 1_400), askReturned: 1_500,
        answered: Moment(thread: 2, nanoseconds: 6_000), answerReturned: 6_900),
      PostTrace.Request(
        index: 0, asked: Moment(thread: 2, nanoseconds: 5_200), askReturned: 5_400,
        answered: Moment(thread: 2, nanoseconds: 7_000), answerReturned: 7_100),
      PostTrace.Request(
        index: nil, asked: Moment(thread: 1, nanoseconds: 7_600), askReturned: 7_700,
        answered: Moment(thread: 2, nanoseconds: 8_000), answerReturned: 9_500),
    ], startReturned: 900, completed: Moment(thread: 3, nanoseconds: 9_000), asksAtOnce: false)

  private let file: Event
  private let events: [Event]

  init() throws {
    let report = TraceReport(
      scenario: "publish",
      posts: ["a", "b"].map {
        TracedPost(contender: $0, trace: Self.pool, plain: [8_900], recorded: [9_000])
      }, faults: [("c", "it \"hangs\"")], environment: EnvironmentRecord { $0.coreCount = 2 })
    let data = Data(try TraceFile(report).text.utf8)
    file = try #require(try JSONSerialization.jsonObject(with: data) as? Event)
    events = try #require(file["traceEvents"] as? [Event])
  }

  private func events(_ phase: String) -> [Event] { events.filter { $0["ph"] as? String == phase } }

  private func number(_ event: Event, _ key: String) -> Double { event[key] as? Double ?? .nan }

  @Test func `every lane has a name`() {
    let lanes = Set(events.map { "\($0["pid"]!)/\($0["tid"]!)" })
    let named = Set(events("M").map { "\($0["pid"]!)/\($0["tid"]!)" })
    #expect(named.isSuperset(of: lanes))
    let names = events("M").filter { $0["name"] as? String == "thread_name" && $0["pid"] as? Int == 1 }
      .compactMap { ($0["args"] as? Event)?["name"] as? String }
    #expect(names == ["caller", "thread 2", "service", "thread 4", "critical path"])
  }

  @Test func `events are in the order of time and within the post`() {
    let timed = events.filter { $0["ph"] as? String != "M" }
    #expect(!timed.isEmpty)
    let moments = timed.map { number($0, "ts") }
    #expect(moments == moments.sorted())
    #expect(timed.allSatisfy { number($0, "ts") >= 0 && number($0, "ts") <= 9 })
    #expect(
      events("X").allSatisfy { number($0, "dur") >= 0 && number($0, "ts") + number($0, "dur") <= 9.0001 })
  }

  @Test(arguments: [("b", "e"), ("s", "f")])
  func `every begin has one end, later`(_ begin: String, end: String) throws {
    func key(_ event: Event) -> String { "\(event["cat"]!) \(event["id"]!)" }
    let begins = Dictionary(grouping: events(begin), by: key)
    let ends = Dictionary(grouping: events(end), by: key)
    #expect(begins.count == 8 && Set(begins.keys) == Set(ends.keys))
    for (id, pair) in begins {
      #expect(pair.count == 1 && ends[id]?.count == 1)
      #expect(number(pair[0], "ts") <= number(try #require(ends[id]?.first), "ts"))
    }
  }

  /// A viewer stacks the spans of a lane: any two are apart, or one is within the other.
  @Test func `spans of a lane do not cross`() {
    for lane in Dictionary(grouping: events("X"), by: { "\($0["pid"]!)/\($0["tid"]!)" }).values {
      let spans = lane.map { (number($0, "ts"), number($0, "ts") + number($0, "dur")) }
      for (place, a) in spans.enumerated() {
        for b in spans.dropFirst(place + 1) {
          let areApart = a.1 <= b.0 + 1e-9 || b.1 <= a.0 + 1e-9
          let isWithin = a.0 <= b.0 && b.1 <= a.1 || b.0 <= a.0 && a.1 <= b.1
          #expect(areApart || isWithin, "\(a) \(b)")
        }
      }
    }
  }

  @Test func `the critical path covers the whole post without a gap`() {
    let path = events("X").filter { $0["cat"] as? String == "path" && $0["pid"] as? Int == 1 }
    #expect(abs(path.reduce(0) { $0 + number($1, "dur") } - 9) < 1e-6)
    for (a, b) in zip(path, path.dropFirst()) {
      #expect(abs(number(a, "ts") + number(a, "dur") - number(b, "ts")) < 1e-6)
    }
  }

  @Test func `the file has the record beside the events`() throws {
    let about = try #require(file["otherData"] as? Event)
    #expect(about["scenario"] as? String == "publish" && about["core_count"] as? Int == 2)
    let contenders = try #require(about["contenders"] as? [String: Event])
    #expect(contenders["c"]?["fault"] as? String == "it \"hangs\"")
    #expect(contenders["a"]?["us"] as? Double == 9)
    #expect(contenders["a"]?["threads"] as? Int == 4)
    #expect(contenders["a"]?["explained_share"] as? Double == 1)
    #expect(contenders["a"]?["recording_cost_share"] as? Double == 0.0112)
    #expect(!events.contains { ($0["args"] as? Event)?["name"] as? String == "c" })
  }
}
