import Foundation
import Results

/// How time grows with the fan-out, for every series of scenarios of a run that differ in nothing else.
public struct GrowthReport: Sendable, Equatable {
  /// One for each contender and series, series by series: rows of growth.csv. Empty if the run has no series.
  public let records: [GrowthRecord]
  /// Rows of crossovers.csv.
  public let crossovers: [CrossoverRecord]
  /// What is worth to be said of them, a sentence each.
  public let sentences: [String]

  init(run: String, cells: [CellKey: CellSamples], scenarios: [ScenarioReport], options: AnalysisOptions) {
    let reports = scenarios.flatMap { scenario in scenario.cells.map { (scenario.place, $0) } }.keyed {
      (CellKey(contender: $1.summary.contender, place: $0), $1)
    }
    var records: [GrowthRecord] = []
    var crossovers: [CrossoverRecord] = []
    var spellings: [SpellingWords] = []
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
          records.append(
            GrowthRecord(times, index, run: run, first: first, cells: keys.map { reports[$0] }))
        }
        crossovers += CrossoverRecord.all(times, run: run)
        spellings += SpellingWords.all(times)
      }
    }
    self.records = records
    self.crossovers = crossovers
    sentences =
      GrowthWords(records: records, orders: options.orders).sentences + spellings.map(\.sentence)
  }
}

extension GrowthReport {
  /// A table for each series.
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

  /// With more pairs than these who changes places is for those who look into the file.
  private static let mostCrossovers = 6

  private func crossovers(besides record: GrowthRecord) -> [String] {
    let all = crossovers.filter { $0.series == record.series && $0.machine == record.machine }
    let rest = all.count - Self.mostCrossovers
    return all.prefix(Self.mostCrossovers).map(Self.text)
      + (rest > 0 ? ["and \(rest) more in \(RunDirectory.crossoversName)"] : [])
  }

  /// Such as `futures becomes cheaper than callbacks at about 320 uploads [250, 410]`.
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

/// What matters most in the rows of growth.csv, in sentences.
struct GrowthWords {
  let records: [GrowthRecord]
  /// Parts of names that say in what order uploads end.
  let orders: [String]

  /// Who grows too fast, and in which orders; then who was stopped.
  var sentences: [String] {
    let families = records.map(family).unique()
    return families.flatMap { family in
      let members = records.filter { self.family($0) == family }
      return members.map(\.contender).unique().compactMap { contender in
        sentence(members.filter { $0.contender == contender })
      }
    } + records.compactMap(stopped)
  }

  /// A series without the order: members differ in nothing else.
  private func family(_ record: GrowthRecord) -> String {
    record.place.split(separator: "-").filter { !orders.contains(String($0)) }.joined(separator: "-")
  }

  /// Of one contender in the orders of one series.
  private func sentence(_ records: [GrowthRecord]) -> String? {
    let fast = records.filter(\.isSuperlinear)
    guard let first = fast.first else { return nil }
    let name = first.contender
    let slow = records.filter { !$0.isSuperlinear }
    // What is unresolved in another order may be the same there.
    guard slow.contains(where: { $0.verdict == .linear || $0.verdict == .sublinear }),
      records.allSatisfy({ order($0) != nil })
    else {
      return fast.map { "\(name) \(Self.growth($0)) in \($0.place)." }.joined(separator: " ")
    }
    let others = slow.grouped { $0.verdict ?? .unresolved }.ordered {
      SortKey(first: $0.key.rawValue)
    }
    return "\(name) in \(family(first)) is a matter of the order in which uploads end: it "
      + fast.map { "\(Self.growth($0)) in \(order($0) ?? "")" }.joined(separator: ", ") + "; "
      + others.map { verdict, members in
        let orders = members.compactMap(order).joined(separator: " and ")
        return verdict == .unresolved ? "unresolved in \(orders)" : "\(verdict.rawValue) in \(orders)"
      }.joined(separator: ", ") + "."
  }

  private func order(_ record: GrowthRecord) -> String? {
    record.series.split(separator: "-").map(String.init).first(where: orders.contains)
  }

  /// Such as `grows superlinearly from 10 000 uploads on (N^1.9)`.
  private static func growth(_ record: GrowthRecord) -> String {
    guard let from = record.superlinearFromFanOut else {
      return "grows superlinearly (\(power(record.exponent)))"
    }
    // Where it bends in between, the slope at the end is what goes on.
    let exponent = from == record.exponentFromFanOut ? record.exponent : record.widestExponent
    return "grows superlinearly from \(NumberText.thousands(from)) uploads on (\(power(exponent)))"
  }

  private static func power(_ exponent: Double?) -> String {
    exponent.map { "N^" + NumberText.ratio($0) } ?? "N^?"
  }

  private func stopped(_ record: GrowthRecord) -> String? {
    guard let fanOut = record.stoppedAtFanOut, let reason = record.stoppedBy else { return nil }
    return
      "\(record.contender) was stopped at \(NumberText.thousands(fanOut)) uploads in \(record.place): \(reason)."
  }
}

extension GrowthRecord {
  /// Such as `publish-instant-N`, or `publish-instant-N @ node-7`.
  var place: String { ScenarioKey(scenario: series, machine: machine).description }

  /// Whether anything of it is proved to grow faster than its fan-out, be it only at the end.
  var isSuperlinear: Bool { verdict == .superlinear || superlinearFromFanOut != nil }
}

/// Which spelling of an idiom is the fastest from which fan-out on, where a run has several of one.
struct SpellingWords {
  /// A width at which the idiom's own spelling and another were measured.
  private struct Width {
    let fanOut: Int
    let fastest: String
    /// Of the fastest to the idiom's own; nil: it is that.
    let ratio: (median: Double, interval: ClosedRange<Double>)?
    /// Whose interval beside the fastest holds 1.
    let alike: [String]
  }

  private let idiom: String
  private let series: String
  private let widths: [Width]

  /// One for each idiom of a series.
  static func all(_ times: SeriesTimes) -> [SpellingWords] {
    times.contenders.map { String($0.prefix { $0 != "/" }) }.unique().compactMap { SpellingWords($0, times) }
  }

  /// nil: the series lacks the idiom's own spelling or any other.
  private init?(_ idiom: String, _ times: SeriesTimes) {
    let spellings = times.contenders.indices.filter { times.contenders[$0].hasPrefix(idiom + "/") }
    guard let own = times.contenders.firstIndex(of: idiom), !spellings.isEmpty else { return nil }
    func ratio(_ first: Int, _ second: Int, _ width: Int) -> ClosedRange<Double>? {
      times.interval(of: first, and: second, at: [width]) { $0[0].time / $1[0].time }
    }
    self.idiom = idiom
    series = ScenarioKey(scenario: times.series.name, machine: times.series.machine).description
    widths = times.measuredWidths(of: own).compactMap { width in
      let measured = ([own] + spellings).compactMap { spelling in
        times.median(of: spelling, at: width).map { (spelling, time: $0) }
      }
      guard let fastest = measured.min(by: { $0.time < $1.time }), measured.count > 1,
        let ownTime = measured.first?.time
      else { return nil }
      let alike = measured.map(\.0).filter { other in
        other != fastest.0 && ratio(fastest.0, other, width).map { $0.contains(1) } ?? true
      }
      return Width(
        fanOut: times.fanOut(width), fastest: times.contenders[fastest.0],
        ratio: fastest.0 == own ? nil : ratio(fastest.0, own, width).map { (fastest.time / ownTime, $0) },
        alike: alike.map { times.contenders[$0] })
    }
    guard !widths.isEmpty else { return nil }
  }

  /// Such as `Fastest spelling of swift-concurrency in publish-instant-N, its time against the idiom's own: at 1 upload
  /// native-async (0.25 [0.23, 0.26]); from 10 uploads on …`.
  var sentence: String {
    let parts = widths.indices.map { index -> String in
      let width = widths[index]
      let isLast = index == widths.count - 1 && index > 0
      let place =
        (isLast ? "from " : "at ") + Plural.counted(width.fanOut, "upload") + (isLast ? " on " : " ")
      return place + Self.name(width.fastest, of: idiom) + Self.ratio(width.ratio)
        + (width.alike.isEmpty
          ? ""
          : ", not told apart from " + width.alike.map { Self.name($0, of: idiom) }.joined(separator: ", "))
    }
    return "Fastest spelling of \(idiom) in \(series), with its time against the idiom's own: "
      + parts.joined(separator: "; ") + "."
  }

  private static func name(_ spelling: String, of idiom: String) -> String {
    spelling == idiom ? "its own" : String(spelling.dropFirst(idiom.count + 1))
  }

  private static func ratio(_ ratio: (median: Double, interval: ClosedRange<Double>)?) -> String {
    guard let ratio else { return "" }
    let ends = [ratio.interval.lowerBound, ratio.interval.upperBound].map(NumberText.ratio)
    return " (\(NumberText.ratio(ratio.median)) [\(ends.joined(separator: ", "))])"
  }
}
