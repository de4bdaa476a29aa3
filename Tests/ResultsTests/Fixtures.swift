import Foundation
import Testing

@testable import Results

func makeSample(
  run: String = "r1", generation: Int = 0, round: Int = 0, contender: String = "callbacks",
  outcome: Outcome = .measured, reason: String? = nil, wallNanoseconds: Int? = 1_000,
  dropped: DropReason? = nil
) -> Sample {
  Sample {
    ($0.run, $0.generation, $0.round, $0.position) = (run, generation, round, 0)
    ($0.contender, $0.scenario, $0.pattern, $0.service) = (contender, "publish-10", "publish", "instant")
    ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (10, 65_536, 20, outcome)
    ($0.reason, $0.wallNanoseconds, $0.dropped) = (reason, wallNanoseconds, dropped)
  }
}

func makeGrowth() -> GrowthRecord {
  GrowthRecord {
    ($0.run, $0.contender, $0.series, $0.pattern) = ("r1", "futures", "publish-instant-N", "publish")
    ($0.service, $0.widths) = ("instant", 1)
  }
}

/// A sample with a value in every column.
let fullSample = Sample {
  ($0.run, $0.generation, $0.round, $0.position) = ("r1", 1, 2, 3)
  ($0.contender, $0.scenario, $0.pattern) = ("gcd-groups", "publish-10/k=4", "publish")
  ($0.service, $0.fanOut, $0.inFlightLimit, $0.payloadBytes) = ("latency", 10, 4, 65_536)
  ($0.iterations, $0.outcome, $0.reason) = (20, .wrong, "media 3: got \"b\", expected \"a\"")
  ($0.wallNanoseconds, $0.cpuUserNanoseconds, $0.cpuSystemNanoseconds) = (7, 8, 9)
  ($0.voluntarySwitches, $0.involuntarySwitches, $0.minorFaults, $0.allocations) = (10, 11, 12, 13)
  ($0.allocatedBytes, $0.retains, $0.releases, $0.peakThreads) = (14, 15, 16, 17)
  ($0.peakRSSBytes, $0.idealNanoseconds, $0.uploadsStarted, $0.uploadsFinished) = (18, 19, 20, 21)
  ($0.uploadsCancelled, $0.peakInFlight, $0.posts, $0.stealNanoseconds) = (22, 23, 24, 25)
  ($0.pressureNanoseconds, $0.dropped, $0.failureToCompletionNanoseconds) = (26, .disturbed, 27)
  ($0.failureToStopNanoseconds, $0.startsAfterFailure, $0.wastedBytes) = (28, 29, 30)
  ($0.heartbeatWorstNanoseconds, $0.objects, $0.machine, $0.inFlightBytes) = (31, 32, "33", 34)
  $0.postsBefore = 35
}

func contents(_ path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}

/// A file that is refused, and the words of the error.
struct Fault: Sendable {
  let text: String
  let line: Int
  let column: String?
  let problem: String

  init(_ text: String, _ line: Int, _ column: String?, _ problem: String) {
    (self.text, self.line, self.column, self.problem) = (text, line, column, problem)
  }

  /// - Returns: the error's advice.
  func expect(of path: String, reading: () throws -> Void) -> String {
    let error = #expect(throws: ResultsError.self, performing: reading)
    guard case .malformed(path, let line, let column, let problem, let advice) = error else {
      Issue.record("\(String(describing: error))")
      return ""
    }
    #expect((line, column, problem) == (self.line, self.column, self.problem))
    #expect(error?.description.hasPrefix("\(path):\(self.line): ") == true)
    return advice
  }
}

/// Limits the size of files, so that a write takes only a part: the portable stand-in for a full disk. The limit is the whole
/// process's, so only exit tests may use it.
enum FileSizeLimit {
  static func with(bytes: Int, _ body: () throws -> Void) throws {
    // Without this the system ends the process instead of refusing the write.
    signal(SIGXFSZ, SIG_IGN)
    var old = rlimit()
    getrlimit(resource, &old)
    var limited = old
    limited.rlim_cur = rlim_t(bytes)
    setrlimit(resource, &limited)
    defer { setrlimit(resource, &old) }
    try body()
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let resource = RLIMIT_FSIZE
  #endif
}
