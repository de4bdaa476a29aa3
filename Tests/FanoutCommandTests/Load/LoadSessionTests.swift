import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct LoadSessionTests {
  private let folder: RecordedFolder

  init() throws { folder = try RecordedFolder() }

  /// What windows of `a` and `b` leave in a run directory.
  private func measure(
    _ arguments: [String],
    _ answer: @escaping (String, LoadRequest) throws(WorkerFailure) -> LoadReading
  ) throws -> (analysis: LoadAnalysis, rows: [[Substring]]) {
    let options = try LoadOptions(
      arguments + ["--quiet"], known: ContenderList([Named("a"), Named("b")]))
    let session = try LoadSession.measure(
      options, scenarios: options.scenarios, in: RunDirectory.create(name: "r", in: folder.path),
      launcher: fakeWorkers(answer))
    let text = try String(contentsOfFile: session.directory.path + "/load.csv", encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    return (session.analysis, lines)
  }

  /// Every post that was due took so long.
  private static func reply(_ request: LoadRequest, latencyNanoseconds: UInt64) -> LoadReading {
    var reply = LoadReading()
    reply.windowNanoseconds = Int(request.windowNanoseconds)
    reply.posts.due = Int(request.postsPerSecond * Double(request.windowNanoseconds) / 1e9)
    reply.posts.completed = reply.posts.due
    for _ in 0..<reply.posts.due { reply.latencies.add(latencyNanoseconds) }
    return reply
  }

  @Test func `a contender that fails takes no further window and the others go on`() throws {
    var asked = 0
    let (analysis, rows) = try measure(["--rate", "100/s", "--duration", "3s", "--window", "1s"]) {
      contender, request throws(WorkerFailure) in
      if contender == "b" { asked += 1 }
      // Its warm-up and its first window are well.
      if contender == "b", asked > 2 { throw .silent(seconds: 9) }
      return Self.reply(request, latencyNanoseconds: 1_000_000)
    }
    let place = try #require(rows[0].firstIndex(of: "contender"))
    #expect(rows.dropFirst().map { String($0[place]) }.sorted() == ["a", "a", "a", "b", "b"])
    let (a, b) = (analysis.summaries[0], analysis.summaries[1])
    #expect(a.outcome == .measured)
    #expect(b.outcome == .timedOut && b.reason == "its worker gave no answer within 9 s and was ended")
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
