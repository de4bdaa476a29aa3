import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ExternalBaselineTests {
  static func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor"))
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

  @Test func `a baseline is no part of a comparison of runs`() throws {
    var samples = RecordedFixture.samples()
    samples += RecordedFixture.samples([.init(contender: ExternalBaseline.copy, ratio: 1)]).filter {
      $0.contender == ExternalBaseline.copy
    }
    let comparison = try RecordedFixture.comparison(RecordedFixture.run("now", samples))
    #expect(comparison.keys.allSatisfy { $0.contender != ExternalBaseline.copy })
    #expect(comparison.notCompared.isEmpty)
  }

  @Test func `throughput is a post's bytes in its time, where they are stored`() throws {
    let file = try #require(Self.analysis(Self.samples).summaries.first)
    let bytes = Double(file.fanOut * file.payloadBytes)
    #expect(file.bytesPerSecond == bytes / file.medianNanoseconds! * 1e9)
    #expect(Self.analysis(Self.samples).document().text().contains("MiB/s"))
    let instant = Self.analysis(Self.contenders)
    #expect(instant.summaries.allSatisfy { $0.bytesPerSecond == nil })
    #expect(!instant.document().text().contains("MiB/s"))
    // Without a post there is nothing that took that time.
    let failed = Self.samples.changing { sample in sample.posts = 0 }
    #expect(Self.analysis(failed).summaries.allSatisfy { $0.bytesPerSecond == nil })
  }
}
