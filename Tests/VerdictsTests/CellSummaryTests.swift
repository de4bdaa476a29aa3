import Verdicts
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct CellSummaryTests {
  /// Three samples by hand: 4 uploads a post, 10 posts a sample.
  private func summary(fanOut: Int = 4, change: (inout [Sample]) -> Void = { _ in }) -> CellSummary {
    var samples = [300, 100, 200].enumerated().map { index, wall in
      Sample {
        $0.run = "r"
        $0.generation = 0
        $0.round = index + 1
        $0.position = 0
        $0.contender = "a"
        $0.scenario = "s"
        $0.pattern = "publish"
        $0.service = "latency"
        $0.fanOut = fanOut
        $0.inFlightLimit = 2
        $0.payloadBytes = 9
        $0.iterations = 10
        $0.outcome = .measured
        $0.wallNanoseconds = wall
        $0.cpuUserNanoseconds = wall / 2
        $0.cpuSystemNanoseconds = 20
        $0.voluntarySwitches = 30
        $0.involuntarySwitches = 50
        $0.minorFaults = 60
        $0.allocations = 400
        $0.allocatedBytes = 2_560
        $0.retains = 800
        $0.releases = 880
        $0.peakThreads = 3 + index
        $0.peakRSSBytes = 1_000 - index
        $0.idealNanoseconds = 50
        $0.failureToCompletionNanoseconds = 7 + index
        $0.failureToStopNanoseconds = 10 * index
        $0.startsAfterFailure = 20 + index
        $0.wastedBytes = 100 * index
        $0.heartbeatWorstNanoseconds = 60 - index
        $0.objects = 1_200
        $0.inFlightBytes = 2_048
      }
    }
    change(&samples)
    let options = AnalysisOptions(reference: "a") {
      $0.sourceLines = ["a": ["publish": 12, "sequence": 5]]
    }
    return RunAnalysis(run: "r", samples: samples, options: options).summaries[0]
  }

  @Test(arguments: [nil, "queue"]) func completionsRunWhereTheScenarioSays(context: String?) {
    let samples = [Sample { ($0.contender, $0.scenario, $0.outcome) = ("a", "s", .measured) }]
    let options = AnalysisOptions(reference: "a") {
      $0.idioms = ["a": IdiomRecord(name: "a", shipsWith: "toolchain", completions: "pool")]
      if let context { $0.contexts = ["s": context] }
    }
    let summary = RunAnalysis(run: "r", samples: samples, options: options).summaries[0]
    #expect(summary.context == context ?? "pool")
  }

  @Test func everyNumberIsPerPostOrPerUploadAsItsNameSays() {
    let expected = CellSummary {
      $0.run = "r"
      $0.contender = "a"
      $0.scenario = "s"
      $0.pattern = "publish"
      $0.service = "latency"
      $0.fanOut = 4
      $0.inFlightLimit = 2
      $0.payloadBytes = 9
      $0.samples = 3
      $0.dropped = 0
      $0.outcome = .measured
      $0.medianNanoseconds = 200
      $0.nanosecondsPerUpload = 50
      $0.overheadNanosecondsPerUpload = 0
      $0.reference = "a"
      $0.ratio = 1
      $0.rankGroup = 1
      $0.efficiency = 0.25
      $0.cpuNanosecondsPerUpload = 30
      $0.switchesPerUpload = 2
      $0.allocationsPerUpload = 10
      $0.retainsPerUpload = 20
      $0.peakThreads = 5
      $0.peakRSSBytes = 1_000
      $0.sourceLines = 12
      $0.failureToCompletionNanoseconds = 8
      $0.failureToStopNanoseconds = 10
      $0.startsAfterFailure = 2.1
      $0.wastedBytes = 10
      $0.heartbeatWorstNanoseconds = 60
      $0.disturbedRounds = 0
      $0.objectsPerUpload = 30
      $0.bytesPerUpload = 512
      $0.faultsPerUpload = 1.5
      $0.voluntarySwitchesPerUpload = 0.75
      $0.involuntarySwitchesPerUpload = 1.25
      $0.allocatedBytesPerUpload = 64
      $0.releasesPerUpload = 22
    }
    #expect(summary() == expected)
  }

  @Test func whatIsTooMuchForOneIntegerIsAddedAllTheSame() {
    let summary = summary {
      for index in $0.indices {
        ($0[index].involuntarySwitches, $0[index].cpuSystemNanoseconds) = (.max, .max)
      }
    }
    #expect(summary.switchesPerUpload == 0x1p63 / 40)
    #expect(summary.cpuNanosecondsPerUpload == 0x1p63 / 4)
  }

  /// Allocations of two processes agree, retains do not, objects were counted by one of them only.
  @Test func whatTwoProcessesCountAlikeIsExact() {
    func exact(_ change: (inout [Sample]) -> Void = { _ in }) -> [String]? {
      summary { samples in
        samples[2].generation = 1
        samples[2].retains = 801
        samples[2].objects = nil
        change(&samples)
      }.exactCounts?.names
    }
    #expect(exact() == ["allocations", "allocated_bytes", "releases"])
    #expect(exact { $0[1].allocations = 401 } == ["allocated_bytes", "releases"])
    #expect(exact { $0[2].generation = 0 } == nil)
    #expect(
      exact { samples in
        (samples[2].allocations, samples[2].allocatedBytes, samples[2].releases) = (1, 2, 3)
      } == [])
  }

  /// Forty uploads a sample; the second process has counted two retains more for each.
  @Test func whatTwoProcessesCountDifferentlyHasARange() {
    let ranges = summary { samples in
      samples[2].generation = 1
      samples[2].retains = samples[0].retains! + 80
      samples[2].objects = nil
    }.countRanges
    #expect(ranges?.entries.map(\.name) == ["retains"])
    #expect(ranges?.entries.first?.least == 20)
    #expect(ranges?.entries.first?.most == 22)
    #expect(summary().countRanges == nil)
  }

  @Test func anEmptyPostCountsAsOneUpload() {
    let summary = summary(fanOut: 0)
    #expect(summary.nanosecondsPerUpload == 200)
    #expect(summary.switchesPerUpload == 8)
  }

  @Test func whatWasNotProbedStaysUnknown() {
    let summary = summary { samples in
      for index in samples.indices {
        samples[index].cpuSystemNanoseconds = nil
        samples[index].involuntarySwitches = nil
        samples[index].allocations = nil
        samples[index].retains = nil
        samples[index].objects = nil
        samples[index].peakThreads = nil
        samples[index].peakRSSBytes = nil
        samples[index].idealNanoseconds = nil
        samples[index].failureToStopNanoseconds = nil
        samples[index].wastedBytes = nil
        samples[index].heartbeatWorstNanoseconds = nil
      }
    }
    #expect(summary.cpuNanosecondsPerUpload == nil && summary.switchesPerUpload == nil)
    #expect(summary.allocationsPerUpload == nil && summary.retainsPerUpload == nil)
    #expect(summary.objectsPerUpload == nil)
    #expect(summary.peakThreads == nil && summary.peakRSSBytes == nil && summary.efficiency == nil)
    #expect(summary.failureToStopNanoseconds == nil && summary.wastedBytes == nil)
    #expect(summary.heartbeatWorstNanoseconds == nil)
  }

  @Test(arguments: [(9, false, false), (10, true, false), (99, true, false), (100, true, true)])
  func highPercentilesNeedManySamples(count: Int, hasP90: Bool, hasP99: Bool) {
    let summary = summary { samples in
      samples = (0..<count).map { round in
        var sample = samples[0]
        sample.round = round
        return sample
      }
    }
    #expect((summary.p90Nanoseconds != nil) == hasP90)
    #expect((summary.p99Nanoseconds != nil) == hasP99)
  }
}
