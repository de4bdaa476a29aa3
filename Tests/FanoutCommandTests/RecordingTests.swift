import Foundation
import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct RecordingTests {
  private let folder: RecordedFolder

  init() throws { folder = try RecordedFolder() }

  /// Two contenders in two generations of two rounds, after one sample to warm up.
  private func record(
    awake: LatencyRequest? = nil,
    _ answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  ) throws -> (recording: Recording, report: Reporting, read: [Sample]) {
    let directory = try RunDirectory.create(name: "r", in: folder.path)
    let plan = RunPlan(
      run: "r", contenders: ["a", "b"], scenarios: [Scenario(name: "publish-instant-1", photos: 1)]
    ) { plan in
      plan.generations = 2
      plan.rounds = 2
      plan.warmUpSamples = 1
      plan.countedGenerations = 0
    }
    let analysis = AnalysisOptions(reference: "a") {
      $0.plannedCells = plan.cells
    }
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis, launcher: fakeWorkers(answer), isQuiet: true,
      awake: awake)
    let report = Reporting(recording, analysis: analysis)
    try report.write()
    return (recording, report, try RecordedRun.samples(in: directory).samples)
  }

  @Test func `a worker that dies leaves a readable run`() throws {
    var asked = 0
    let (recording, report, read) = try record { contender, request throws(WorkerFailure) in
      if contender == "b" { asked += 1 }
      if contender == "b", asked > 2 { throw .died(how: "signal 11") }
      return .measured(request, nanoseconds: 1_000)
    }
    #expect(read == recording.samples)
    #expect(recording.environment.latencyRequestMicroseconds == nil)
    #expect(read.count { $0.contender == "a" && $0.outcome == .measured } == 6)
    let last = try #require(read.last { $0.contender == "b" })
    #expect(last.outcome == .failed && last.reason == "its worker died: signal 11")
    #expect(read.count { $0.contender == "b" } == 3)
    #expect(report.failures == ["b is not ranked on publish-instant-1: its worker died: signal 11"])
    #expect(report.exitCode == .contenderFailed)
  }

  @Test func `the latency request is held until the last sample`() throws {
    let path = folder.path + "/latency"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let request = try LatencyRequest(path: path, isSupported: true)
    var byte: UInt8 = 7
    for _ in 0..<4 { #expect(read(reader, &byte, 1) == 1 && byte == 0) }
    var isHeld = true
    let (recording, _, _) = try record(awake: request) { _, request throws(WorkerFailure) in
      isHeld = isHeld && read(reader, &byte, 1) == -1
      return .measured(request, nanoseconds: 1_000)
    }
    #expect(isHeld)
    // A process that another test starts has a copy of the descriptor until it is another program.
    var end = pollfd(fd: reader, events: 0, revents: 0)
    #expect(poll(&end, 1, 60_000) == 1)
    #expect(read(reader, &byte, 1) == 0)
    #expect(try recording.directory.readEnvironment().latencyRequestMicroseconds == 0)
  }

  @Test func `a run that ends before its first sample leaves no files`() throws {
    let directory = try RunDirectory.create(name: "r", in: folder.path)
    let plan = RunPlan(
      run: "r", contenders: ["a"], scenarios: [Scenario(name: "publish-instant-1", photos: 1)])
    let error = #expect(throws: Interrupted.self) {
      try Recording.measure(
        plan, in: directory, analysis: AnalysisOptions(reference: "a"),
        launcher: fakeWorkers { _, request throws(WorkerFailure) in .measured(request, nanoseconds: 1_000) },
        isQuiet: true, isInterrupted: { true })
    }
    #expect(error?.description == "interrupted; nothing was measured, and no run is left")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [
    (0, ""), (1, " 1 sample so far is kept in r."), (700, " 700 samples so far are kept in r."),
  ])
  func `a sample that cannot be written leaves the earlier ones`(kept: Int, end: String) {
    let error = ResultsError.cannotWrite(path: "r/samples.csv", reason: "disk full")
    let message =
      "cannot write r/samples.csv: disk full. Choose another place with --output, or see to it that this one can be written."
    #expect(FileProblem(error, keeping: kept, "sample", in: "r").description == message + end)
  }

  @Test func `a disturbed sample is dropped alone`() throws {
    var asked = 0
    let (_, report, read) = try record { contender, request throws(WorkerFailure) in
      var reply = SampleReply.measured(request, nanoseconds: 1_000)
      if contender == "b" { asked += 1 }
      // After its warm-up, in the first round.
      if contender == "b", asked == 2 { reply.disturbance.stealNanoseconds = reply.wallNanoseconds }
      return reply
    }
    let dropped = read.filter { $0.dropped == .disturbed }
    #expect(dropped.map(\.contender) == ["b"])
    #expect(Set(dropped.map { [$0.generation, $0.round] }) == [[0, 1]])
    #expect(read.count { $0.dropped == nil } == 7)
    #expect(report.exitCode == .fine)
  }
}
