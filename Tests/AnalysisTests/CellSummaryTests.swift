import Analysis
import Results
import Testing

@Suite struct CellSummaryTests {
  /// Three samples by hand: 4 uploads a post, 10 posts a sample.
  private func summary(fanOut: Int = 4, change: (inout [Sample]) -> Void = { _ in }) -> CellSummary {
    var samples = [300, 100, 200].enumerated().map { index, wall in
      Sample(
        run: "r", generation: 0, round: index + 1, position: 0, contender: "a", scenario: "s",
        pattern: "publish", service: "latency", fanOut: fanOut, inFlightLimit: 2, payloadBytes: 9,
        iterations: 10, outcome: .measured, wallNanoseconds: wall, cpuUserNanoseconds: wall / 2,
        cpuSystemNanoseconds: 20, voluntarySwitches: 30, involuntarySwitches: 50, minorFaults: 60,
        allocations: 400, allocatedBytes: 2_560, retains: 800, releases: 880, peakThreads: 3 + index,
        peakRSSBytes: 1_000 - index, idealNanoseconds: 50,
        failureToCompletionNanoseconds: 7 + index, failureToStopNanoseconds: 10 * index,
        startsAfterFailure: 20 + index, wastedBytes: 100 * index, heartbeatWorstNanoseconds: 60 - index,
        objects: 1_200, inFlightBytes: 2_048)
    }
    change(&samples)
    let options = AnalysisOptions(reference: "a", sourceLines: ["a": ["publish": 12, "sequence": 5]])
    return RunAnalysis(run: "r", samples: samples, options: options).summaries[0]
  }

  @Test func everyNumberIsPerPostOrPerUploadAsItsNameSays() {
    let expected = CellSummary(
      run: "r", contender: "a", scenario: "s", pattern: "publish", service: "latency", fanOut: 4,
      inFlightLimit: 2, payloadBytes: 9, samples: 3, dropped: 0, outcome: .measured, medianNanoseconds: 200,
      nanosecondsPerUpload: 50, overheadNanosecondsPerUpload: 0, reference: "a", ratio: 1, rankGroup: 1,
      efficiency: 0.25, cpuNanosecondsPerUpload: 30, switchesPerUpload: 2, allocationsPerUpload: 10,
      retainsPerUpload: 20, peakThreads: 5, peakRSSBytes: 1_000, sourceLines: 12,
      failureToCompletionNanoseconds: 8, failureToStopNanoseconds: 10, startsAfterFailure: 2.1,
      wastedBytes: 10,
      heartbeatWorstNanoseconds: 60, disturbedRounds: 0, objectsPerUpload: 30, bytesPerUpload: 512,
      faultsPerUpload: 1.5, voluntarySwitchesPerUpload: 0.75, involuntarySwitchesPerUpload: 1.25,
      allocatedBytesPerUpload: 64, releasesPerUpload: 22)
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
