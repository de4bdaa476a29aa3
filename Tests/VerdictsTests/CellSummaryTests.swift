import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CellSummaryTests {
  /// Three samples with 4 uploads a post and 10 posts each.
  private func summary(fanOut: Int = 4, change: (inout [Sample]) -> Void = { _ in }) -> CellSummary {
    var samples = [300, 100, 200].enumerated().map { index, wall in
      Sample {
        ($0.run, $0.generation, $0.round, $0.position) = ("r", 0, index + 1, 0)
        ($0.contender, $0.scenario, $0.pattern, $0.service) = ("a", "s", "publish", "latency")
        ($0.fanOut, $0.inFlightLimit, $0.payloadBytes, $0.iterations) = (fanOut, 2, 9, 10)
        ($0.outcome, $0.wallNanoseconds, $0.cpuUserNanoseconds) = (.measured, wall, wall / 2)
        ($0.cpuSystemNanoseconds, $0.voluntarySwitches, $0.involuntarySwitches) = (20, 30, 50)
        ($0.minorFaults, $0.allocations, $0.allocatedBytes, $0.retains) = (60, 400, 2_560, 800)
        ($0.releases, $0.peakThreads, $0.peakRSSBytes) = (880, 3 + index, 1_000 - index)
        $0.idealNanoseconds = 50
        $0.failureToCompletionNanoseconds = 7 + index
        $0.failureToStopNanoseconds = 10 * index
        $0.startsAfterFailure = 20 + index
        ($0.wastedBytes, $0.heartbeatWorstNanoseconds, $0.objects) = (100 * index, 60 - index, 1_200)
        $0.inFlightBytes = 2_048
      }
    }
    change(&samples)
    let options = AnalysisOptions(reference: "a") { $0.sourceLines = ["a": ["publish": 12, "sequence": 5]] }
    return RunAnalysis(run: "r", samples: samples, options: options).summaries[0]
  }

  @Test(arguments: [nil, "queue"]) func `the context is the scenario's, else the idiom's`(context: String?) {
    let samples = [Sample { ($0.contender, $0.scenario, $0.outcome) = ("a", "s", .measured) }]
    let options = AnalysisOptions(reference: "a") {
      $0.idioms = ["a": IdiomRecord(name: "a", shipsWith: "toolchain", completions: "pool")]
      if let context { $0.contexts = ["s": context] }
    }
    let summary = RunAnalysis(run: "r", samples: samples, options: options).summaries[0]
    #expect(summary.context == context ?? "pool")
  }

  @Test func `every number is per post or per upload, as its name says`() {
    let expected = CellSummary {
      ($0.run, $0.contender, $0.scenario, $0.pattern) = ("r", "a", "s", "publish")
      ($0.service, $0.fanOut, $0.inFlightLimit, $0.payloadBytes) = ("latency", 4, 2, 9)
      ($0.samples, $0.dropped, $0.outcome, $0.medianNanoseconds) = (3, 0, .measured, 200)
      ($0.nanosecondsPerUpload, $0.overheadNanosecondsPerUpload, $0.reference, $0.ratio) = (50, 0, "a", 1)
      ($0.rankGroup, $0.efficiency, $0.cpuNanosecondsPerUpload, $0.switchesPerUpload) = (1, 0.25, 30, 2)
      ($0.allocationsPerUpload, $0.retainsPerUpload, $0.peakThreads, $0.peakRSSBytes) = (10, 20, 5, 1_000)
      ($0.sourceLines, $0.failureToCompletionNanoseconds, $0.failureToStopNanoseconds) = (12, 8, 10)
      ($0.startsAfterFailure, $0.wastedBytes, $0.heartbeatWorstNanoseconds) = (2.1, 10, 60)
      ($0.disturbedRounds, $0.objectsPerUpload, $0.bytesPerUpload, $0.faultsPerUpload) = (0, 30, 512, 1.5)
      $0.voluntarySwitchesPerUpload = 0.75
      ($0.involuntarySwitchesPerUpload, $0.allocatedBytesPerUpload, $0.releasesPerUpload) = (1.25, 64, 22)
    }
    #expect(summary() == expected)
  }

  /// A run with these medians of processes, whose samples hardly differ.
  private func report(_ medians: [Double], samples: Int = 10) -> CellReport {
    let samples = medians.enumerated().flatMap { generation, median in
      (0..<samples).map { round in
        Sample {
          ($0.run, $0.generation, $0.round) = ("r", generation, round + 1)
          ($0.contender, $0.scenario, $0.service, $0.outcome) = ("a", "s", "benchmark", .measured)
          $0.fanOut = 4
          $0.wallNanoseconds = Int(median * (1 + 0.001 * Double(round - samples / 2)))
        }
      }
    }
    return RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "a")).scenarios[0]
      .cells[0]
  }

  /// Alike, one in three slow, evenly drawn, and long-tailed. The interval of six processes misses the median of all in about a
  /// twentieth of runs.
  @Test(arguments: 0..<4) func `the interval of a time covers other processes`(kind: Int) {
    var generator = SeededNumbers(seed: UInt64(kind))
    func draw() -> Double {
      let unit = Double.random(in: 0..<1, using: &generator)
      return 100_000
        * [1 + 0.01 * unit, unit < 0.33 ? 1.5 : 1 + 0.01 * unit, 1 + 0.3 * unit, 1 / (1 - 0.9 * unit)][kind]
    }
    let all = (0..<10_001).map { _ in draw() }.sorted()
    for processes in [4, 6, 12] {
      let runs = Effort.count(50, thorough: 2_000)
      let covered = (0..<runs).count { _ in
        let summary = report((0..<processes).map { _ in draw() }, samples: 3).summary
        guard let low = summary.medianLowNanoseconds, let high = summary.medianHighNanoseconds else {
          return false
        }
        #expect((low...high).contains(summary.medianNanoseconds ?? -1))
        return (low * 0.99...high * 1.01).contains(all[5_000])
      }
      #expect(Double(covered) >= 0.9 * Double(runs), "\(covered) of \(runs), \(processes) processes")
    }
  }

  @Test func `fewer than four processes have no interval, however many samples they have`() {
    for processes in 1...3 {
      let summary = report((0..<processes).map { 1_000 + Double($0) }, samples: 200).summary
      #expect(summary.medianLowNanoseconds == nil && summary.medianHighNanoseconds == nil)
    }
  }

  @Test func `processes that differ, two modes and long tails have a note each`() {
    func notes(_ medians: [Double]) -> [String] {
      ScatterNotes.all([("a", report(medians))], margin: 0.05) { time, cell in cell.perUnit(time) }
    }
    #expect(notes([1_000, 1_050, 1_020, 1_001, 1_060, 1_000]) == [])
    #expect(notes([400_000, 600_000]) == ["medians of single processes: a 100 to 150 µs"])
    let modes = notes([1_000, 1_010, 1_020, 100_000, 101_000])
    #expect(
      modes.count == 2 && modes[1].contains("two modes: ") && modes[1].contains("in 30 of 50 samples")
        && modes[1].contains("in 20"))
    #expect(notes([1_000, 1_300, 1_700, 2_200, 2_900, 3_800, 5_000])[1].contains(": a p50"))
  }

  @Test func `sums beyond an integer do not trap`() {
    let summary = summary {
      for index in $0.indices {
        ($0[index].involuntarySwitches, $0[index].cpuSystemNanoseconds) = (.max, .max)
      }
    }
    #expect(summary.switchesPerUpload == 0x1p63 / 40)
    #expect(summary.cpuNanosecondsPerUpload == 0x1p63 / 4)
  }

  /// Two processes agree on allocations, not on retains; only one counted objects.
  @Test func `a count that two processes share is exact`() {
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
      exact { samples in (samples[2].allocations, samples[2].allocatedBytes, samples[2].releases) = (1, 2, 3)
      } == [])
  }

  /// Forty uploads a sample; the second process counted two retains more for each.
  @Test func `a count that two processes do not share has a range`() {
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

  @Test func `what was not measured stays unknown`() {
    let summary = summary { samples in
      samples = samples.map { known in
        Sample {
          ($0.run, $0.generation, $0.round, $0.position) = ("r", 0, known.round, 0)
          ($0.contender, $0.scenario, $0.pattern, $0.service) = ("a", "s", "publish", "latency")
          ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (4, 9, 10, .measured)
          ($0.wallNanoseconds, $0.cpuUserNanoseconds, $0.voluntarySwitches) = (known.wallNanoseconds, 50, 30)
        }
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
  func `high percentiles need many samples`(count: Int, hasP90: Bool, hasP99: Bool) {
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

@Suite(.ownThread) struct ExternalBaselineTests {
  static func analysis(_ samples: [Sample]) -> RunAnalysis {
    SyntheticRun.analysed(samples, reference: "floor")
  }

  private static let contenders = SyntheticRun.cell("floor", factor: 1) + SyntheticRun.cell("a", factor: 2)

  static var samples: [Sample] {
    (contenders + SyntheticRun.cell(ExternalBaseline.copy, factor: 0.1)).changing { sample in
      sample.service = "file"
    }
  }

  @Test func `a baseline is shown last, and neither compared nor ranked`() throws {
    let both = Self.analysis(Self.samples)
    let cells = try #require(both.scenarios.first?.cells)
    #expect(cells.map(\.summary.contender) == ["floor", "a", "cp"])
    #expect(cells.map(\.summary.rankGroup) == [1, 2, nil])
    let baseline = try #require(cells.last)
    #expect(baseline.standing == .externalBaseline)
    #expect(baseline.summary.verdict == nil && baseline.summary.ratio == nil)
    #expect(baseline.summary.medianNanoseconds != nil)
    #expect(both.document().text().contains("2 contenders, 1 scenario"))
    #expect(both.document().markdown.contains("external baseline, not ranked"))
  }

  @Test func `a baseline does not change the contenders' results`() {
    let without = Self.analysis(Self.samples.filter { $0.contender != ExternalBaseline.copy })
    #expect(Self.analysis(Self.samples).summaries.dropLast() == without.summaries[...])
  }

  @Test func `overhead is above the service's time where that is known`() throws {
    let samples = Self.contenders + SyntheticRun.cell(ExternalBaseline.service, factor: 0.5)
    let both = Self.analysis(samples)
    let cells = try #require(both.scenarios.first?.cells).map(\.summary)
    #expect(cells.map(\.contender) == ["floor", "a", "service"])
    let above = cells.map { $0.aboveServiceNanosecondsPerUpload }
    // The floor takes twice what the service does, the other four times.
    let floor = try #require(above[0])
    #expect(try abs(#require(above[1]) / floor - 3) < 0.2)
    #expect(above[2] == nil)
    #expect(cells.map(\.overheadNanosecondsPerUpload)[0] == 0)
    let text = both.document().text()
    #expect(text.contains("differences to the service") && text.contains("2 contenders, 1 scenario"))
    let without = Self.analysis(Self.contenders)
    #expect(without.summaries.allSatisfy { $0.aboveServiceNanosecondsPerUpload == nil })
    #expect(without.document().text().contains("differences to floor"))
  }

  @Test func `throughput is a post's bytes in its time, where they are stored`() throws {
    let file = try #require(Self.analysis(Self.samples).summaries.first)
    let bytes = Double(file.fanOut * file.payloadBytes)
    #expect(file.bytesPerSecond == bytes / file.medianNanoseconds! * 1e9)
    #expect(Self.analysis(Self.samples).document().text().contains("MiB/s"))
    let instant = Self.analysis(Self.contenders)
    #expect(instant.summaries.allSatisfy { $0.bytesPerSecond == nil })
    #expect(!instant.document().text().contains("MiB/s"))
    // Without a post the time has no bytes.
    let failed = Self.samples.changing { sample in sample.posts = 0 }
    #expect(Self.analysis(failed).summaries.allSatisfy { $0.bytesPerSecond == nil })
  }
}
