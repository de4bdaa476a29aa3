import Foundation
import Results

/// How time grows with the fan-out (number of uploads), for each series of scenarios that differ only in fan-out.
public struct GrowthReport: Sendable, Equatable {
  /// The rows of growth.csv, one for each contender and series; empty if the run has no series.
  public let records: [GrowthRecord]
  /// Sentences about the growth that a reader should notice.
  public let sentences: [String]

  init(run: String, cells: [CellKey: CellSamples], scenarios: [ScenarioReport], options: AnalysisOptions) {
    let reports = scenarios.flatMap { scenario in scenario.cells.map { (scenario.place, $0) } }.keyed {
      (CellKey(contender: $1.summary.contender, place: $0), $1)
    }
    var records: [GrowthRecord] = []
    for machine in scenarios.map(\.place.machine).unique() {
      let here = scenarios.filter { $0.place.machine == machine }
      for series in Series.all(of: here.map { ($0.fanOut, $0.name) }, machine: machine) {
        let members = here.filter { scenario in series.scenarios.contains { $0.name == scenario.name } }
        let contenders = members.flatMap { $0.cells.map(\.summary.contender) }.unique().ordered {
          SortKey(first: $0)
        }
        let times = SeriesTimes(
          series, contenders: contenders, cells: cells, resamples: options.rankResamples)
        for (index, contender) in contenders.enumerated() {
          let keys = series.scenarios.map { series.key(contender, $0.name) }
          guard let first = keys.compactMap({ cells[$0] }).first?.all[0] else { continue }
          records.append(GrowthRecord(times, index, run: run, first: first, cells: keys.map { reports[$0] }))
        }
      }
    }
    self.records = records
    sentences = records.compactMap(\.growthSentence) + records.compactMap(\.stopSentence)
  }
}

extension GrowthReport {
  var tables: [Table] {
    let fields = Self.fields
    return records.inGroups(by: \.place).map { records in
      let least = records.compactMap(\.leastFanOut).min().map(NumberText.thousands) ?? "?"
      let most = records.compactMap(\.mostFanOut).max().map(NumberText.thousands) ?? "?"
      return Table(
        title: "growth of \(records[0].place): \(least) to \(most) uploads", fields, records,
        tone: { $0.isSuperlinear ? .bad : .plain })
    }
  }

  private typealias Field = Table.Field<GrowthRecord>

  private static var fields: [Field] {
    [
      Field("contender", 18, isLeft: true) { .name($0.contender) },
      Field("N^", 6) { .number($0.exponent, NumberText.ratio) },
      Field("[interval]", 13, isLeft: true) {
        Table.Cell(interval($0.exponentLow, $0.exponentHigh))
      }, Field("widest", 7) { .number($0.widestExponent, NumberText.ratio) },
      Field("time/upload", 12) { .duration($0.nanosecondsPerUpload) },
      Field("bytes", 9) { .number($0.bytesPerUpload, NumberText.bytes) },
      Field("growth", isLeft: true) { Table.Cell($0.verdict?.rawValue ?? "") },
    ]
  }

  static func interval(_ low: Double?, _ high: Double?) -> String {
    guard let low, let high else { return "" }
    return "[" + NumberText.ratio(low) + ", " + NumberText.ratio(high) + "]"
  }
}

extension GrowthRecord {
  /// The name of the series and its machine, such as `publish-instant-N`, or `publish-instant-N @ node-7`.
  var place: String { ScenarioKey(scenario: series, machine: machine).description }

  var isSuperlinear: Bool { verdict == .superlinear || superlinearFromFanOut != nil }

  /// A sentence about growth, such as `operations grows superlinearly from 10 000 uploads on (N^1.9) in publish-instant-N.`
  fileprivate var growthSentence: String? {
    guard isSuperlinear else { return nil }
    let from = superlinearFromFanOut.map { " from \(NumberText.thousands($0)) uploads on" } ?? ""
    // If the exponent changes with the fan-out, the exponent at the largest fan-outs is shown.
    let isBent = superlinearFromFanOut.map { $0 != exponentFromFanOut } ?? false
    let power = (isBent ? widestExponent : exponent).map(NumberText.ratio) ?? "?"
    return "\(contender) grows superlinearly\(from) (N^\(power)) in \(place)."
  }

  fileprivate var stopSentence: String? {
    guard let fanOut = stoppedAtFanOut, let reason = stoppedBy else { return nil }
    return "\(contender) was stopped at \(NumberText.thousands(fanOut)) uploads in \(place): \(reason)."
  }
}
