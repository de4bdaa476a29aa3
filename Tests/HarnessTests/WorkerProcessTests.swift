import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import Harness

/// The parent's side of the pipe, against shell scripts that play the worker.
@Suite(.ownThread) struct WorkerProcessTests {
  private let request = SampleRequest(scenario: Scenario(name: "one", photos: 1), iterations: 1)
  private let timeout = WorkerTimeout(seconds: 60, spareSeconds: 30)

  /// Who sent it is known where the kernel counts those that it ended.
  private static let unexplained: String = {
    #if os(Linux)
      ", sent from outside"
    #else
      ", most likely out of memory"
    #endif
  }()

  private func worker(_ script: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) throws
    -> any WorkerHandle<SampleRequest<Scenario>>
  {
    try WorkerProcess<SampleRequest<Scenario>>(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], isInterrupted: isInterrupted)
  }

  /// What the parent makes of the script's answer to one request.
  private func failure(of script: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) throws
    -> WorkerFailure?
  {
    let worker = try worker(script, isInterrupted: isInterrupted)
    defer { worker.stop() }
    do {
      _ = try worker.run(request, timeout: timeout)
      return nil
    } catch { return error }
  }

  @Test func `a reply may come in pieces`() throws {
    let reply = String(
      decoding: try JSONEncoder().encode(SampleReply(outcome: .measured, iterations: 1)), as: UTF8.self)
    let (head, tail) = (reply.prefix(20), reply.dropFirst(20))
    let worker = try worker("read line; printf '%s' '\(head)'; printf '%s\\n' '\(tail)'; read line")
    defer { worker.stop() }
    #expect(try worker.run(request, timeout: timeout).outcome == .measured)
  }

  @Test(
    arguments: [{ $0.wallNanoseconds = .max }, { $0.usage.minorFaults = -1 }, { $0.peakRSSBytes = .max }]
      as [@Sendable (inout SampleReply) -> Void])
  func `impossible numbers are no reply`(change: @Sendable (inout SampleReply) -> Void) throws {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    change(&reply)
    let line = String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    #expect(try failure(of: "read line; echo '\(line)'; read line") == .garbled(line: line))
  }

  @Test(arguments: [
    ("read line; exit 3", WorkerFailure.died(how: "exit status 3")),
    ("read line; kill -9 $$", .died(how: "signal 9\(WorkerProcessTests.unexplained)")),
    ("read line; printf '{\"half\": '; exit 0", .died(how: "exit status 0")),
    (
      "read line; echo 'Fatal error: no such thing' >&2; kill -9 $$",
      .died(how: "signal 9\(WorkerProcessTests.unexplained), saying “Fatal error: no such thing”")
    ),
    ("read line; echo hello; read line", .garbled(line: "hello")),
    ("read line; echo; read line", .garbled(line: "")),
    ("read line; echo '{}'; read line", .garbled(line: "{}")),
  ])
  func `a failed worker is described`(script: String, expected: WorkerFailure) throws {
    let failure = try failure(of: script)
    #expect(failure == expected, "\(String(describing: failure))")
  }

  @Test func `a worker's output reaches the terminal as plain text`() {
    let escape = "\u{1B}]0;title\u{7}"
    #expect(!WorkerFailure.garbled(line: escape).description.contains("\u{1B}"))
    #expect(!StderrExcerpt.quote("error: \(escape)").contains("\u{1B}"))
  }

  @Test func `an interrupt ends the wait`() throws {
    #expect(try failure(of: "read line; read forever", isInterrupted: { true }) == .interrupted)
  }

  /// Of the usual 40 s thirty are there for a machine that is busy.
  @Test(arguments: [(40, Int.max, 40), (40, 60, 40), (40, 25, 25), (40, 1, 10), (140, 1, 110)])
  func `a short budget is not spent on silence`(usual: Int, budget: Int, seconds: Int) {
    #expect(WorkerTimeout(seconds: usual, spareSeconds: 30).seconds(withinBudget: budget) == seconds)
  }

  @Test func `a worker that cannot be started is an error`() {
    #expect(throws: WorkerFailure.self) {
      _ = try WorkerProcess<SampleRequest<Scenario>>(
        executable: URL(fileURLWithPath: "/nowhere/bench"), arguments: [], isInterrupted: { false })
    }
  }
}

@Suite(.ownThread) struct StderrExcerptTests {
  @Test(arguments: [
    ("", ""), ("measuring …\n", ""),
    (
      "ready\na.swift:1: Fatal error: no such thing\nstack:\n",
      ", saying “a.swift:1: Fatal error: no such thing”"
    ),
    (
      "FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.\n",
      ", saying “FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.”: the server cut an answer off inside its headers, and Foundation ends the process for that; it is not the contender's doing"
    ),
  ])
  func `the error line is quoted, with its cause where known`(_ words: String, quote: String) {
    #expect(StderrExcerpt.quote(words) == quote)
  }

  @Test func `a long line is cut short`() {
    #expect(StderrExcerpt.quote("error " + String(repeating: "x", count: 1_000)).count < 250)
  }
}
