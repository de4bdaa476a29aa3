import Foundation
import Results
import Verdicts

/// Recorded posts in the trace-event format, which Perfetto and Chrome's viewer open: a process for each contender, a lane for each
/// thread, and one for the critical path.
public struct TraceFile: Sendable {
  /// The lane of the critical path, beyond those of any threads.
  static let pathLane = 1_000

  /// The whole file, a line for each event.
  public let text: String

  /// The file of a report; a contender that failed stands beside the events, with its reason.
  public init(_ report: TraceReport) throws {
    let encoder = JSONText.encoder(.sortedKeys)
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let all = report.posts.enumerated().flatMap { place, post in
      Events(of: post, process: place + 1).all
    }
    // Whatever is of one moment stays in the order in which it was made.
    let timed = all.enumerated().filter { !$0.element.isMetadata }
      .sorted { ($0.element.ts, $0.offset) < ($1.element.ts, $1.offset) }.map(\.element)
    let lines = try (all.filter(\.isMetadata) + timed).map(json).joined(separator: ",\n")
    text = """
      {"displayTimeUnit":"ns","otherData":\(try json(About(report))),"traceEvents":[
      \(lines)
      ]}

      """
  }
}

/// An event as the format has it: times in microseconds, phases as letters.
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
  var args: [String: Argument]?

  enum Argument: Encodable {
    case text(String)
    case number(Int)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }

  var isMetadata: Bool { ph == "M" }
}

/// The events of one post.
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
      // Two in one lane may cross, which spans of a lane must not.
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

  private static func subject(_ request: PostTrace.Request) -> [String: TraceEvent.Argument] {
    ["request": request.index.map(TraceEvent.Argument.number) ?? .text("post")]
  }

  private mutating func name(_ contender: String, _ trace: PostTrace) {
    func metadata(_ name: String, _ lane: Int, _ key: String, _ value: TraceEvent.Argument) {
      all.append(TraceEvent(ph: "M", name: name, pid: process, tid: lane, ts: 0, args: [key: value]))
    }
    metadata("process_name", 0, "name", .text(contender))
    metadata("process_sort_index", 0, "sort_index", .number(process))
    let service = trace.answeringThreads
    let serves = { service.count > 1 ? "service \($0 + 1)" : "service" }
    for thread in 0..<trace.threads {
      let name = thread == 0 ? "caller" : service.contains(thread) ? serves(thread) : "thread \(thread + 1)"
      metadata("thread_name", thread + 1, "name", .text(name))
    }
    metadata("thread_name", TraceFile.pathLane, "name", .text("critical path"))
  }

  private mutating func add(
    _ phase: String, _ name: String, _ category: String, lane thread: Int?, _ nanoseconds: UInt64,
    _ change: (inout TraceEvent) -> Void = { _ in }
  ) {
    var event = TraceEvent(
      ph: phase, name: name, pid: process, tid: thread.map { $0 + 1 } ?? TraceFile.pathLane,
      ts: Self.microseconds(min(nanoseconds, end)), cat: category)
    change(&event)
    all.append(event)
  }

  /// What goes on after the completion is cut off there.
  private mutating func span(
    _ name: String, _ category: String, lane thread: Int?, _ from: UInt64, _ to: UInt64,
    _ args: [String: TraceEvent.Argument]? = nil
  ) {
    let duration = max(from, min(to, end)) - from
    add("X", name, category, lane: thread, from) { event in
      event.dur = Self.microseconds(duration)
      event.args = args
    }
  }

  private static func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1_000 }
}

/// What the viewers show beside the events, and `plot.py` reads.
private struct About: Encodable {
  struct Contender: Encodable {
    var fault: String?
    var microseconds: Double?
    var inTheIdiomMicroseconds: Double?
    var handedOverMicroseconds: Double?
    var threads: Int?
    var handOvers: Int?
    var explainedShare: Double?
    var recordingCostShare: Double?
    var pairs: Int?
  }

  let scenario: String
  let startedAt: Date?
  let cpuModel: String?
  let coreCount: Int?
  let toolchain: String?
  let buildConfiguration: String?
  let commit: String?
  let isDirty: Bool?
  let othersShare: Double?
  let contenders: [String: Contender]

  init(_ report: TraceReport) {
    scenario = report.scenario
    let environment = report.environment
    startedAt = environment.startedAt
    (cpuModel, coreCount, toolchain) = (environment.cpuModel, environment.coreCount, environment.toolchain)
    (buildConfiguration, commit) = (environment.buildConfiguration, environment.commit)
    (isDirty, othersShare) = (environment.isDirty, environment.othersShare)
    func rounded(_ share: Double) -> Double { (share * 10_000).rounded() / 10_000 }
    let traced = report.posts.map { post in
      (
        post.contender,
        Contender(
          microseconds: Double(post.trace.completed.nanoseconds) / 1_000,
          inTheIdiomMicroseconds: Double(post.path.nanoseconds(.inTheIdiom)) / 1_000,
          handedOverMicroseconds: Double(post.path.nanoseconds(.handedOver)) / 1_000,
          threads: post.trace.threads, handOvers: post.path.handOvers.count,
          explainedShare: rounded(post.path.explainedShare), recordingCostShare: rounded(post.recordingCost),
          pairs: post.pairs)
      )
    }
    contenders = Dictionary(
      uniqueKeysWithValues: traced + report.faults.map { ($0.contender, Contender(fault: $0.reason)) })
  }
}
