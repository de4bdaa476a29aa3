import Foundation
import Results

/// How time grows with the fan-out, for each series of scenarios that differ only in fan-out.
public struct GrowthReport: Sendable, Equatable {
  /// The rows of growth.csv, one for each contender and series; empty if the run has no series.
  public let records: [GrowthRecord]
  /// The rows of crossovers.csv.
  public let crossovers: [CrossoverRecord]
  /// Sentences about noteworthy growth.
  public let sentences: [String]

  init(run: String, cells: [CellKey: CellSamples], scenarios: [ScenarioReport], options: AnalysisOptions) {
    let reports = scenarios.flatMap { scenario in scenario.cells.map { (scenario.place, $0) } }.keyed {
      (CellKey(contender: $1.summary.contender, place: $0), $1)
    }
    var records: [GrowthRecord] = []
    var crossovers: [CrossoverRecord] = []
    var spellings: [String] = []
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
        crossovers += CrossoverRecord.all(times, run: run)
        spellings += times.spellingSentences
      }
    }
    self.records = records
    self.crossovers = crossovers
    sentences = records.compactMap(\.growthSentence) + records.compactMap(\.stopSentence) + spellings
  }
}

extension GrowthReport {
  var tables: [Table] {
    let fields = Self.fields
    return records.map(\.place).unique().map { place in
      let records = records.filter { $0.place == place }
      let least = records.compactMap(\.leastFanOut).min().map(NumberText.thousands) ?? "?"
      let most = records.compactMap(\.mostFanOut).max().map(NumberText.thousands) ?? "?"
      return Table(
        title: "growth of \(place): \(least) to \(most) uploads", fields, records,
        tone: { $0.isSuperlinear ? .bad : .plain }
      ).with { $0.notes = crossovers(besides: records[0]) }
    }
  }

  private static let mostCrossovers = 6

  private func crossovers(besides record: GrowthRecord) -> [String] {
    let all = crossovers.filter { $0.series == record.series && $0.machine == record.machine }
    let rest = all.count - Self.mostCrossovers
    return all.prefix(Self.mostCrossovers).map(Self.text)
      + (rest > 0 ? ["and \(rest) more in \(RunDirectory.crossoversName)"] : [])
  }

  /// Example: `futures becomes cheaper than callbacks at about 320 uploads [250, 410]`.
  private static func text(_ crossover: CrossoverRecord) -> String {
    func about(_ fanOut: Double) -> String { NumberText.about(Int(fanOut.rounded())) }
    return crossover.cheaperAbove + " becomes cheaper than " + crossover.cheaperBelow + " at about "
      + about(crossover.fanOut) + " uploads [" + about(crossover.fanOutLow) + ", "
      + about(crossover.fanOutHigh) + "]"
  }

  private typealias Field = Table.Field<GrowthRecord>

  private static var fields: [Field] {
    [
      Field("contender", 18, isLeft: true) { .name($0.contender) },
      Field("N^", 6) { .number($0.exponent, NumberText.ratio) },
      Field("[interval]", 13, isLeft: true) {
        Table.Cell(interval($0.exponentLow, $0.exponentHigh, NumberText.ratio))
      }, Field("widest", 7) { .number($0.widestExponent, NumberText.ratio) },
      Field("time/upload", 12) { .duration($0.nanosecondsPerUpload) },
      Field("bytes", 9) { .number($0.bytesPerUpload, NumberText.bytes) },
      Field("growth", isLeft: true) { Table.Cell($0.verdict?.rawValue ?? "") },
    ]
  }

  static func interval(_ low: Double?, _ high: Double?, _ text: (Double) -> String) -> String {
    guard let low, let high else { return "" }
    return "[" + text(low) + ", " + text(high) + "]"
  }
}

extension GrowthRecord {
  /// Example: `publish-instant-N`, or `publish-instant-N @ node-7`.
  var place: String { ScenarioKey(scenario: series, machine: machine).description }

  var isSuperlinear: Bool { verdict == .superlinear || superlinearFromFanOut != nil }

  /// Example: `operations grows superlinearly from 10 000 uploads on (N^1.9) in publish-instant-N.`
  fileprivate var growthSentence: String? {
    guard isSuperlinear else { return nil }
    let from = superlinearFromFanOut.map { " from \(NumberText.thousands($0)) uploads on" } ?? ""
    // If the slope changes, the slope at the largest fan-outs is shown.
    let isBent = superlinearFromFanOut.map { $0 != exponentFromFanOut } ?? false
    let power = (isBent ? widestExponent : exponent).map(NumberText.ratio) ?? "?"
    return "\(contender) grows superlinearly\(from) (N^\(power)) in \(place)."
  }

  fileprivate var stopSentence: String? {
    guard let fanOut = stoppedAtFanOut, let reason = stoppedBy else { return nil }
    return "\(contender) was stopped at \(NumberText.thousands(fanOut)) uploads in \(place): \(reason)."
  }
}

extension SeriesTimes {
  /// The fastest variant of each idiom at each fan-out. Example: `Fastest spelling of futures in publish-instant-N, with its time
  /// against the idiom's own: at 1 upload zip (0.25 [0.23, 0.26]).`
  fileprivate var spellingSentences: [String] {
    contenders.map { String($0.prefix { $0 != "/" }) }.unique().compactMap { idiom in
      let others = contenders.indices.filter { contenders[$0].hasPrefix(idiom + "/") }
      guard let own = contenders.firstIndex(of: idiom), !others.isEmpty else { return nil }
      let widths = measuredWidths(of: own).compactMap { width in
        fastest(of: [own] + others, at: width).map { (Plural.counted(fanOut(width), "upload"), $0) }
      }
      if widths.isEmpty { return nil }
      let parts = widths.enumerated().map { index, width in
        index > 0 && index == widths.count - 1 ? "from \(width.0) on \(width.1)" : "at \(width.0) \(width.1)"
      }
      let place = ScenarioKey(scenario: series.name, machine: series.machine)
      return "Fastest spelling of \(idiom) in \(place), with its time against the idiom's own: "
        + parts.joined(separator: "; ") + "."
    }
  }

  /// The fastest variant, its ratio to the first one, and variants not distinguishable from it; `nil` if fewer than two were measured.
  private func fastest(of spellings: [Int], at width: Int) -> String? {
    let measured = spellings.compactMap { spelling in median(of: spelling, at: width).map { (spelling, $0) } }
    guard measured.count > 1, let best = measured.min(by: { $0.1 < $1.1 }) else { return nil }
    func ratio(to other: Int) -> ClosedRange<Double>? {
      interval(of: best.0, and: other, at: [width]) { $0[0].time / $1[0].time }
    }
    func name(_ spelling: Int) -> String {
      contenders[spelling].firstIndex(of: "/").map { String(contenders[spelling][$0...].dropFirst()) }
        ?? "its own"
    }
    let lead = best.0 == spellings[0] ? nil : ratio(to: spellings[0])
    let alike = measured.map(\.0).filter { $0 != best.0 && ratio(to: $0)?.contains(1) ?? true }.map(name)
    return name(best.0)
      + (lead.map {
        let ends = GrowthReport.interval($0.lowerBound, $0.upperBound, NumberText.ratio)
        return " (\(NumberText.ratio(best.1 / measured[0].1)) \(ends))"
      } ?? "") + (alike.isEmpty ? "" : ", not distinguishable from " + alike.joined(separator: ", "))
  }
}
