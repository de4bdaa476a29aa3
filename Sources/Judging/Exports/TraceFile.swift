import Foundation
import Results
import Verdicts

/// Recorded posts (jobs of uploads) in the trace-event format of Perfetto and Chrome. A viewer shows each contender as a process, with a
/// row for each thread and one for the critical path.
public struct TraceFile: Sendable {
  static let pathLane = 1_000

  /// The text of the file, with one line for each event.
  public let text: String

  /// Creates the file of a report. Failed contenders and their reasons are listed outside the events.
  public init(_ report: TraceReport) throws {
    let encoder = JSONText.encoder(.sortedKeys)
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let all = report.posts.enumerated().flatMap { place, post in
      Events(of: post, process: place + 1).all
    }
    // Sorting keeps the order of events with equal times.
    let timed = all.enumerated().filter { !$0.element.isMetadata }
      .sorted { ($0.element.ts, $0.offset) < ($1.element.ts, $1.offset) }.map(\.element)
    let lines = try (all.filter(\.isMetadata) + timed).map(json).joined(separator: ",\n")
    text = """
      {"displayTimeUnit":"ns","otherData":\(try json(Self.about(report))),"traceEvents":[
      \(lines)
      ]}

      """
  }

  /// Facts about the report that viewers show next to the events and that `plot.py` reads.
  private static func about(_ report: TraceReport) -> JSONObject {
    func rounded(_ share: Double) -> Double { (share * 10_000).rounded() / 10_000 }
    let traced = report.posts.map { post -> (String, JSONObject) in
      (
        post.contender,
        [
          "us": microseconds(post.trace.completed.nanoseconds),
          "in_the_idiom_us": microseconds(post.path.nanoseconds(.inTheIdiom)),
          "handed_over_us": microseconds(post.path.nanoseconds(.handedOver)), "threads": post.trace.threads,
          "hand_overs": post.path.handOvers.count, "explained_share": rounded(post.path.explainedShare),
          "recording_cost_share": rounded(post.recordingCost), "pairs": post.pairs,
        ]
      )
    }
    let failed = report.faults.map { ($0.contender, ["fault": $0.reason] as JSONObject) }
    let environment = report.environment
    return [
      "scenario": report.scenario, "started_at": environment.startedAt, "cpu_model": environment.cpuModel,
      "core_count": environment.coreCount, "toolchain": environment.toolchain,
      "build_configuration": environment.buildConfiguration, "commit": environment.commit,
      "dirty": environment.isDirty, "others_share": environment.othersShare,
      "contenders": Dictionary(uniqueKeysWithValues: traced + failed),
    ]
  }
}

/// An event of the trace-event format. Times are in microseconds; `ph` is the letter of the event's phase.
private struct TraceEvent: Encodable {
  var ph: String
  var name: String
  var pid: Int
  var tid: Int
  var ts: Double
  var cat: String?
  var dur: Double?
  var id: String?
  var bp: String?
  var args: JSONObject?

  var isMetadata: Bool { ph == "M" }
}

private struct Events {
  private(set) var all: [TraceEvent] = []
  private let process: Int
  private let end: UInt64

  init(of post: TracedPost, process: Int) {
    self.process = process
    let trace = post.trace
    end = trace.completed.nanoseconds
    name(post.contender, trace)
    span("start", "call", lane: 0, 0, trace.startReturned)
    for (number, request) in trace.requests.enumerated() where request.asked.nanoseconds <= end {
      let what = Self.subject(request)
      span(
        "asked", "upload", lane: request.asked.thread, request.asked.nanoseconds, request.askReturned, what)
      // Requests of one thread may overlap, but spans of one thread must not. So each request becomes an asynchronous event.
      for (phase, moment) in [("b", request.asked.nanoseconds), ("e", request.answered.nanoseconds)] {
        add(phase, "in flight", "flight", lane: request.asked.thread, moment) {
          $0.id = "\(process).\(number)"
          $0.args = what
        }
      }
      guard request.answered.nanoseconds <= end else { continue }
      span(
        "answered", "upload", lane: request.answered.thread, request.answered.nanoseconds,
        request.answerReturned, what)
    }
    span("completion", "call", lane: trace.completed.thread, end, end)
    for (number, handOver) in post.path.handOvers.enumerated() {
      for (phase, moment) in [("s", handOver.from), ("f", handOver.to)] {
        add(phase, "hand-over", "hand-over", lane: moment.thread, moment.nanoseconds) {
          $0.id = "\(process).\(number + 1)"
          if phase == "f" { $0.bp = "e" }
        }
      }
    }
    for part in post.path.spans {
      span(
        part.kind.rawValue, "path", lane: nil, part.from, part.to,
        part.request.map { Self.subject(trace.requests[$0]) })
    }
  }

  private static func subject(_ request: PostTrace.Request) -> JSONObject {
    ["request": request.index ?? "post" as any Encodable]
  }

  private mutating func name(_ contender: String, _ trace: PostTrace) {
    func metadata(_ name: String, _ lane: Int, _ key: JSONKey, _ value: any Encodable) {
      all.append(TraceEvent(ph: "M", name: name, pid: process, tid: lane, ts: 0, args: [key: value]))
    }
    metadata("process_name", 0, "name", contender)
    metadata("process_sort_index", 0, "sort_index", process)
    let service = trace.answeringThreads
    let serves = { service.count > 1 ? "service \($0 + 1)" : "service" }
    for thread in 0..<trace.threads {
      let name = thread == 0 ? "caller" : service.contains(thread) ? serves(thread) : "thread \(thread + 1)"
      metadata("thread_name", thread + 1, "name", name)
    }
    metadata("thread_name", TraceFile.pathLane, "name", "critical path")
  }

  private mutating func add(
    _ phase: String, _ name: String, _ category: String, lane thread: Int?, _ nanoseconds: UInt64,
    _ change: (inout TraceEvent) -> Void = { _ in }
  ) {
    var event = TraceEvent(
      ph: phase, name: name, pid: process, tid: thread.map { $0 + 1 } ?? TraceFile.pathLane,
      ts: microseconds(min(nanoseconds, end)), cat: category)
    change(&event)
    all.append(event)
  }

  /// Adds a span. A span that would end after the job's completion is cut off there.
  private mutating func span(
    _ name: String, _ category: String, lane thread: Int?, _ from: UInt64, _ to: UInt64,
    _ args: JSONObject? = nil
  ) {
    let duration = max(from, min(to, end)) - from
    add("X", name, category, lane: thread, from) { event in
      event.dur = microseconds(duration)
      event.args = args
    }
  }
}

private func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1_000 }
