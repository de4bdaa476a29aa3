import Results

/// The terminal report's part on growth: a table for each series, and sentences.
struct GrowthText {
  let report: GrowthReport
  let ink: Ink

  private static let nameWidth = 18
  /// With more pairs than these who changes places is for those who look into the file.
  private static let mostCrossovers = 6

  var tables: [[String]] {
    report.tables.map { records in
      let title = TextReport.wrap("growth of \(Self.subject(records))", indent: 2).map(ink.bold)
      let header = line(
        "contender", ["N^", " [interval]", "widest", "time/upload", "bytes", "  growth"])
      return title + [ink.dim(header)] + records.flatMap(row) + crossovers(records[0])
    }
  }

  var sentences: [String] { report.sentences.flatMap { TextReport.wrap("  " + $0, indent: 4) } }

  /// How to read it; nothing where there is no series.
  static func closing(_ report: GrowthReport) -> [String] {
    guard !report.records.isEmpty else { return [] }
    let linear = GrowthRecord.linearExponents
    return [
      "  N^        exponent of the time of a post as a power of its uploads, from 1000 uploads on if there are two such fan-outs, else from 10, with its 95 % interval; widest: between the two largest. linear: proved to lie within \(NumberText.ratio(linear.lowerBound)) and \(NumberText.ratio(linear.upperBound))",
      "  bytes     resident memory at its most during a post above that before it ÷ uploads, at the largest fan-out, the service's included",
    ]
  }

  /// Such as `publish-instant-N: 1 to 1 000 000 uploads`.
  static func subject(_ records: [GrowthRecord]) -> String {
    let least = records.compactMap(\.leastFanOut).min().map(NumberText.thousands) ?? "?"
    let most = records.compactMap(\.mostFanOut).max().map(NumberText.thousands) ?? "?"
    return "\(records[0].place): \(least) to \(most) uploads"
  }

  private func row(_ record: GrowthRecord) -> [String] {
    let values = [
      record.exponent.map(NumberText.ratio) ?? "", " " + Self.interval(record),
      record.widestExponent.map(NumberText.ratio) ?? "",
      record.nanosecondsPerUpload.map { NumberText.duration($0) } ?? "",
      record.bytesPerUpload.map(NumberText.bytes) ?? "", "  " + (record.verdict?.rawValue ?? ""),
    ]
    let name = record.contender
    let lines = name.count > Self.nameWidth ? ["  " + name, line("", values)] : [line(name, values)]
    return record.isSuperlinear ? lines.map(ink.red) : lines
  }

  private func crossovers(_ record: GrowthRecord) -> [String] {
    let crossovers = report.crossovers.filter { $0.series == record.series && $0.machine == record.machine }
    let shown = crossovers.prefix(Self.mostCrossovers).map { "  " + Self.text($0) }
    let rest = crossovers.count - shown.count
    let more = rest > 0 ? ["  and \(rest) more in \(RunDirectory.crossoversName)"] : []
    return (shown + more).flatMap { TextReport.wrap($0, indent: 4).map(ink.dim) }
  }

  /// Such as `futures becomes cheaper than callbacks at about 320 uploads [250, 410]`.
  static func text(_ crossover: CrossoverRecord) -> String {
    let ends = [crossover.fanOutLow, crossover.fanOutHigh].map { NumberText.about(Int($0.rounded())) }
    return "\(crossover.cheaperAbove) becomes cheaper than \(crossover.cheaperBelow) at about "
      + "\(NumberText.about(Int(crossover.fanOut.rounded()))) uploads [\(ends.joined(separator: ", "))]"
  }

  static func interval(_ record: GrowthRecord) -> String {
    guard let low = record.exponentLow, let high = record.exponentHigh else { return "" }
    return "[\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
  }

  private func line(_ name: String, _ texts: [String]) -> String {
    let widths: [(Int, isLeft: Bool)] = [
      (6, false), (13, true), (7, false), (12, false), (9, false), (0, true),
    ]
    let fields = zip(texts, widths).map { text, width in
      let padding = String(repeating: " ", count: max(0, width.0 - text.count))
      return width.isLeft ? text + padding : padding + text
    }
    let padded = name + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
    let line = "  " + padded + fields.joined()
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
