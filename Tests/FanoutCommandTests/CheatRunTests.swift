import Foundation
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand

/// Worker processes whose contender cheats, beside two honest ones: what the documentation's table of cheats says.
@Suite(.ownThread(minutes: 10), .serialized, .enabled(if: isLinux, "Linux alone shows other processes"))
struct CheatRunTests {
  private static let executable =
    (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
    .deletingLastPathComponent().appendingPathComponent("cheats")

  private static let publish = Scenario(name: "publish", photos: 10)
  private static let presigned = Scenario(name: "presigned", pattern: .presigned, photos: 3)
  private static let stream = Scenario(
    name: "stream", pattern: .stream, photos: 1, payloadBytes: 640 * 1024)
  private static let race = Scenario(name: "race", pattern: .race, service: .latency, photos: 10) {
    $0.hedgeDelay = .zero
  }

  private func samples(_ cheat: String, in scenario: Scenario) throws -> [Sample] {
    var samples: [Sample] = []
    let plan = RunPlan(run: "test", contenders: ["honest", "other", cheat], scenarios: [scenario]) { plan in
      plan.generations = 1
      plan.rounds = 4
      plan.warmUpSamples = 2
      plan.countedGenerations = 0
      plan.timeoutNanoseconds = 1_900_000_000
    }
    let launch: WorkerLauncher<SampleRequest<Scenario>> = { name throws(WorkerFailure) in
      try WorkerProcess<SampleRequest<Scenario>>(
        executable: Self.executable, arguments: ["worker", "--contender", name],
        isInterrupted: { false })
    }
    #expect(try Runner(plan: plan, launcher: launch, record: { samples.append($0) }).run())
    return samples
  }

  @Test(
    arguments: [
      ("preparesOnce", presigned, "media files: got 0 prepared by the service, expected 3 prepared"),
      ("forgesReceipts", race, "races undecided"),
      ("forks", publish, "it has started a process"),
      ("uploadsOnce", publish, "expected"), ("asksTwice", publish, "expected"),
      ("completesEarly", publish, "expected"),
      ("readsElsewhere", stream, "chunks: got 0 read by the service, expected"),
      ("writesGarbage", publish, "not a reply"),
      ("pinsItself", publish, "a thread of it may use other processors than it was started with"),
      ("takesBatch", publish, "a thread of it has another scheduling class than it was started with"),
      ("forksAway", publish, "it has started a process"),
      ("exits", publish, "its worker died: exit status 0"),
      ("aborts", publish, "its worker died: signal 6"),
      ("losesItsPosts", publish, "no completion within 1900 ms"),
      ("letsGoLate", publish, "something is left"),
    ].prefix(Effort.count(5, thorough: 100)) as ArraySlice<(String, Scenario, String)>)
  func `a cheat is detected and the honest contenders are ranked`(
    _ cheat: String, scenario: Scenario, reason: String
  ) throws {
    let samples = try samples(cheat, in: scenario)
    let reasons = samples.filter { $0.contender == cheat }.compactMap(\.reason)
    #expect(reasons.contains { $0.contains(reason) }, "\(reasons)")
    #expect(samples.allSatisfy { $0.contender == cheat || $0.outcome == .measured })
  }

  /// Without the privilege they have no effect, and are measured.
  @Test(
    .enabled(if: Placement.realTime.isPermitted),
    arguments: [
      ("takesFIFO", "a thread of it has another scheduling class than it was started with"),
      ("raisesItsPriority", "a thread of it has a higher priority than Dispatch gives any"),
    ])
  func `a contender that raises its priority is detected`(_ cheat: String, reason: String) throws {
    #expect(try samples(cheat, in: Self.publish).contains { $0.contender == cheat && $0.reason == reason })
  }

  /// The system does not say who sent a signal.
  @Test func `no contender is ranked if a worker was stopped by a signal`() throws {
    let samples = try samples("stopsOthers", in: Self.publish)
    for contender in ["honest", "other", "stopsOthers"] {
      #expect(
        samples.contains {
          $0.contender == contender && $0.reason?.contains("was stopped or let go on by a signal") == true
        }, "\(contender)")
    }
  }

  /// What a signal ended is not ranked, and the run goes on.
  @Test func `a killed worker fails with its signal, and the run goes on`() throws {
    // As `bench` does: a worker that was killed reads no request.
    signal(SIGPIPE, SIG_IGN)
    let samples = try samples("killsOthers", in: Self.publish)
    for contender in ["honest", "other"] {
      #expect(
        samples.contains { $0.contender == contender && $0.reason?.contains("signal 9") == true },
        "\(contender): \(samples.compactMap(\.reason))")
    }
  }

  @Test(.enabled(if: Effort.isThorough)) func `a process that a contender forked away ends with the run`()
    throws
  {
    _ = try samples("forksAway", in: Self.publish)
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    let left = processes.filter {
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
      return file == Self.executable.resolvingSymlinksInPath().path
    }
    #expect(left.isEmpty)
  }

  private func verify(_ contender: String, _ options: [String] = []) throws -> (status: Int32, output: String)
  {
    try Program.run(
      [Self.executable.path, "verify", "--contenders", contender, "--patterns", "publish"] + options)
  }

  @Test(
    arguments: [
      ("forks", 3, "it has started a process"), ("hangsAtOnce", 3, "gave no answer"),
      ("exits", 3, "its worker died: exit status 0"),
      ("aborts", 3, "its worker died: signal 6"), ("abortsAtExit", 0, "all passed"),
    ].prefix(Effort.count(1, thorough: 100)) as ArraySlice<(String, Int32, String)>)
  func `verify ends and says how the contender ended`(_ contender: String, status: Int32, words: String)
    throws
  {
    let start = ContinuousClock.now
    let said = try verify(contender)
    #expect(said.status == status, "\(said.output)")
    #expect(said.output.contains(words), "\(said.output)")
    // A hang takes the whole budget of 60 s, and two seconds to end the worker.
    #expect(ContinuousClock.now - start < .seconds(70))
  }

  @Test(
    arguments: [("saysTooMuch", 3, "holds limit after all"), ("saysAll", 0, "all passed")].suffix(
      Effort.count(1, thorough: 2)) as ArraySlice<(String, Int32, String)>)
  func `what a contender says it breaks is exactly what it breaks`(
    _ contender: String, status: Int32, words: String
  ) throws {
    let said = try verify(contender)
    #expect(said.status == status, "\(said.output)")
    #expect(said.output.contains(words), "\(said.output)")
  }

  @Test(.enabled(if: Effort.isThorough)) func `verify does not wait for a hang longer than its budget`()
    throws
  {
    let start = ContinuousClock.now
    let said = try verify("hangs", ["--budget", "4s"])
    #expect(said.status == ExitCode.inconclusive.rawValue, "\(said.output)")
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test(.enabled(if: Effort.isThorough)) func `verify names the rules that a late release left untried`()
    throws
  {
    let said = try verify("letsGoLate", ["--budget", "20s"])
    #expect(said.output.contains("not tried of letsGoLate: "), "\(said.output)")
    #expect(said.status == ExitCode.inconclusive.rawValue || said.status == ExitCode.contenderFailed.rawValue)
  }
}

private let isLinux: Bool = {
  #if os(Linux)
    true
  #else
    false
  #endif
}()
