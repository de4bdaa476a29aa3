import Foundation

@testable import Results

func makeSample(
  run: String = "r1", generation: Int = 0, round: Int = 0, contender: String = "callbacks",
  outcome: Outcome = .measured, reason: String? = nil, wallNanoseconds: Int? = 1_000,
  dropped: DropReason? = nil
) -> Sample {
  Sample {
    $0.run = run
    $0.generation = generation
    $0.round = round
    $0.position = 0
    $0.contender = contender
    $0.scenario = "publish-10"
    $0.pattern = "publish"
    $0.service = "instant"
    $0.fanOut = 10
    $0.payloadBytes = 65_536
    $0.iterations = 20
    $0.outcome = outcome
    $0.reason = reason
    $0.wallNanoseconds = wallNanoseconds
    $0.dropped = dropped
  }
}

/// A sample with a value in every column.
let fullSample = Sample {
  $0.run = "r1"
  $0.generation = 1
  $0.round = 2
  $0.position = 3
  $0.contender = "gcd-groups"
  $0.scenario = "publish-10/k=4"
  $0.pattern = "publish"
  $0.service = "latency"
  $0.fanOut = 10
  $0.inFlightLimit = 4
  $0.payloadBytes = 65_536
  $0.iterations = 20
  $0.outcome = .wrong
  $0.reason = "media 3: got \"b\", expected \"a\""
  $0.wallNanoseconds = 7
  $0.cpuUserNanoseconds = 8
  $0.cpuSystemNanoseconds = 9
  $0.voluntarySwitches = 10
  $0.involuntarySwitches = 11
  $0.minorFaults = 12
  $0.allocations = 13
  $0.allocatedBytes = 14
  $0.retains = 15
  $0.releases = 16
  $0.peakThreads = 17
  $0.peakRSSBytes = 18
  $0.idealNanoseconds = 19
  $0.uploadsStarted = 20
  $0.uploadsFinished = 21
  $0.uploadsCancelled = 22
  $0.peakInFlight = 23
  $0.posts = 24
  $0.stealNanoseconds = 25
  $0.pressureNanoseconds = 26
  $0.dropped = .disturbed
  $0.failureToCompletionNanoseconds = 27
  $0.failureToStopNanoseconds = 28
  $0.startsAfterFailure = 29
  $0.wastedBytes = 30
  $0.heartbeatWorstNanoseconds = 31
  $0.objects = 32
  $0.machine = "33"
  $0.inFlightBytes = 34
  $0.postsBefore = 35
}

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
