import Foundation
import Results
import TestSupport
import Testing

@testable import Exports

@Suite(.ownThread) struct ExportFormatTests {
  @Test(arguments: ExportFormat.allCases)
  func `the export is the golden file`(format: ExportFormat) throws {
    let name = format == .benchstat ? "benchstat.txt" : "\(format.rawValue).json"
    let run = FixedRun.run { $0.contender == "futures" }
    try Golden.expect(try format.export(run).text, equals: name)
  }

  @Test(arguments: ExportFormat.allCases)
  func `a sample that does not count changes nothing`(format: ExportFormat) throws {
    let clean = FixedRun.samples.filter { $0.dropped == nil && $0.outcome == .measured }
    // What was left out may change nothing, be it ever so far off.
    let spoilt = FixedRun.samples.map { sample in
      var sample = sample
      if sample.dropped != nil { (sample.wallNanoseconds, sample.allocations) = (1, 1) }
      return sample
    }
    #expect(try format.export(FixedRun.run(spoilt)).text == format.export(FixedRun.run(clean)).text)
  }

  @Test(arguments: ExportFormat.allCases)
  func `an unknown count is left out and not 0`(format: ExportFormat) throws {
    let samples = FixedRun.samples.map { sample in
      var sample = sample
      (sample.allocations, sample.voluntarySwitches, sample.peakRSSBytes) = (nil, nil, nil)
      return sample
    }
    let text = try format.export(FixedRun.run(samples)).text
    for word in ["alloc", "ctxsw", "switches", "memory"] { #expect(!text.contains(word), "\(word)") }
  }
}
