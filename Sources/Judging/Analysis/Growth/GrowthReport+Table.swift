import Results

extension GrowthReport {
  /// A table for each series.
  var growthTables: [Table] {
    records.map(\.place).unique().map { place in
      let records = records.filter { $0.place == place }
      let least = records.compactMap(\.leastFanOut).min().map(NumberText.thousands) ?? "?"
      let most = records.compactMap(\.mostFanOut).max().map(NumberText.thousands) ?? "?"
      return Table(
        title: "growth of \(place): \(least) to \(most) uploads", columns: Self.columns,
        rows: records.map(Self.row), notes: crossovers(besides: records[0]))
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

  private static var columns: [Table.Column] {
    let linear = GrowthRecord.linearExponents
    let (low, high) = (NumberText.ratio(linear.lowerBound), NumberText.ratio(linear.upperBound))
    return [
      Table.Column("contender", isLeft: true, width: 18),
      Table.Column(
        "N^", width: 6,
        "exponent of the time of a post as a power of its uploads, from 1000 uploads on if there are two such fan-outs, else from 10, with its 95 % interval; widest: between the two largest. linear: proved to lie within \(low) and \(high)"
      ),
      Table.Column("[interval]", isLeft: true, width: 13), Table.Column("widest", width: 7),
      Table.Column(
        "a", on: .page, "least squares of the relative errors; off by: from the worst median",
        named: "a, b, c"),
      Table.Column("b·N", on: .page), Table.Column("c·N·log2 N", on: .page),
      Table.Column("off by", on: .page), Table.Column("time/upload", width: 12),
      Table.Column(
        "bytes", width: 9,
        "resident memory at its most during a post above that before it ÷ uploads, at the largest fan-out, the service's included"
      ),
      Table.Column("growth", isLeft: true),
    ]
  }

  private static func row(_ record: GrowthRecord) -> Table.Row {
    Table.Row(
      [
        .name(record.contender), Table.Cell(record.exponent.map(NumberText.ratio) ?? ""),
        Table.Cell(interval(record.exponentLow, record.exponentHigh, NumberText.ratio)),
        Table.Cell(record.widestExponent.map(NumberText.ratio) ?? ""),
        coefficient(record.fixedNanoseconds, record.fixedLowNanoseconds, record.fixedHighNanoseconds),
        coefficient(record.linearNanoseconds, record.linearLowNanoseconds, record.linearHighNanoseconds),
        coefficient(
          record.logLinearNanoseconds, record.logLinearLowNanoseconds, record.logLinearHighNanoseconds),
        Table.Cell(record.largestDeviation.map(NumberText.percent) ?? ""),
        Table.Cell(record.nanosecondsPerUpload.map { NumberText.duration($0) } ?? ""),
        Table.Cell(record.bytesPerUpload.map(NumberText.bytes) ?? ""),
        Table.Cell(record.verdict?.rawValue ?? ""),
      ], record.isSuperlinear ? .bad : .plain)
  }

  private static func interval(_ low: Double?, _ high: Double?, _ text: (Double) -> String) -> String {
    guard let low, let high else { return "" }
    return "[" + text(low) + ", " + text(high) + "]"
  }

  private static func coefficient(_ value: Double?, _ low: Double?, _ high: Double?) -> Table.Cell {
    func text(_ nanoseconds: Double) -> String { NumberText.duration(nanoseconds).trimmed }
    let interval = interval(low, high, text)
    return Table.Cell((value.map(text) ?? "") + (interval.isEmpty ? "" : " " + interval))
  }
}
