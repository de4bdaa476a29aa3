import Foundation

@testable import Results

func makeSample(
  run: String = "r1", generation: Int = 0, round: Int = 0, contender: String = "callbacks",
  outcome: Outcome = .measured, reason: String? = nil, wallNanoseconds: Int? = 1_000,
  dropped: DropReason? = nil
) -> Sample {
  Sample(
    run: run, generation: generation, round: round, position: 0, contender: contender,
    scenario: "publish-10", pattern: "publish", service: "instant", fanOut: 10, payloadBytes: 65_536,
    iterations: 20, outcome: outcome, reason: reason, wallNanoseconds: wallNanoseconds, dropped: dropped)
}

/// A sample with a value in every column.
let fullSample = Sample(
  run: "r1", generation: 1, round: 2, position: 3, contender: "gcd-groups", scenario: "publish-10/k=4",
  pattern: "publish", service: "latency", fanOut: 10, inFlightLimit: 4, payloadBytes: 65_536, iterations: 20,
  outcome: .wrong, reason: "media 3: got \"b\", expected \"a\"", wallNanoseconds: 7,
  cpuUserNanoseconds: 8, cpuSystemNanoseconds: 9, voluntarySwitches: 10, involuntarySwitches: 11,
  minorFaults: 12, allocations: 13, allocatedBytes: 14, retains: 15, releases: 16, peakThreads: 17,
  peakRSSBytes: 18, idealNanoseconds: 19, uploadsStarted: 20, uploadsFinished: 21, uploadsCancelled: 22,
  peakInFlight: 23, posts: 24, stealNanoseconds: 25, pressureNanoseconds: 26, dropped: .disturbed,
  failureToCompletionNanoseconds: 27, failureToStopNanoseconds: 28, startsAfterFailure: 29, wastedBytes: 30,
  heartbeatWorstNanoseconds: 31, objects: 32, machine: "33", inFlightBytes: 34, postsBefore: 35)

/// A folder of one test's own, removed at its end.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "results-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }
}

func contents(_ path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
