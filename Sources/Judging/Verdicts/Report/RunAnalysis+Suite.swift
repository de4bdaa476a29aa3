import Results
import Statistics

extension RunAnalysis {
  /// Whether the run measured a package's own benchmarks, which fit into one table.
  var isSuite: Bool {
    !scenarios.isEmpty && scenarios.allSatisfy { $0.cells.first?.summary.service == NoService.benchmark }
  }

  /// A row for each benchmark, or for each implementation of a benchmark with several.
  var suiteTable: Table {
    let rows = scenarios.flatMap { scenario in
      scenario.cells.map { (cell: $0, isShared: scenario.cells.count > 1, unit: scenario.unit) }
    }
    func has(_ value: (CellSummary) -> Double?) -> Bool { rows.contains { value($0.cell.summary) != nil } }
    typealias Field = Table.Field<(cell: CellReport, isShared: Bool, unit: String)>
    var fields: [Field] = [
      Field("benchmark", 24, isLeft: true) { .name(Self.name($0.cell.summary, $0.isShared)) },
      Field("time", 9) { .duration($0.cell.summary.nanosecondsPerUpload) },
      Field("±", 6) { Table.Cell($0.cell.uncertainty) },
      Field("cpu", 9) { .duration($0.cell.summary.cpuNanosecondsPerUpload) },
      Field("allocs", 7) { .number($0.cell.summary.allocationsPerUpload, NumberText.threeDigits) },
      Field("retains", 8) { .number($0.cell.summary.retainsPerUpload, NumberText.threeDigits) },
      Field("per", isLeft: true) { Table.Cell(" " + $0.unit) },
    ]
    if has(\.bytesPerSecond) {
      fields.append(Field("MiB/s", 8) { .number($0.cell.summary.bytesPerSecond, NumberText.mebibytes) })
    }
    if has(\.ratioLow) {
      fields.append(
        Field("ratio", 6) { .number($0.isShared ? $0.cell.summary.ratio : nil, NumberText.ratio) })
      fields.append(
        Field("[interval]", isLeft: true) {
          Table.Cell($0.isShared ? ScenarioReport.interval($0.cell) : "")
        })
    }
    fields.append(Field("p90", on: .page) { .duration($0.cell.perUnit($0.cell.summary.p90Nanoseconds)) })
    fields.append(Field("cold", on: .page) { .duration($0.cell.perUnit($0.cell.coldNanoseconds)) })
    return Table(
      fields, rows,
      except: { row in
        row.cell.explanation.map {
          Table.Row([.name(Self.name(row.cell.summary, row.isShared))], remark: $0, .bad)
        }
      }, others: missing.map { Table.Row([.name($0.scenario)], remark: "not measured") }
    ).with { $0.notes = coarse + scatter + growing }
  }

  private static func name(_ summary: CellSummary, _ isShared: Bool) -> String {
    isShared ? "\(summary.scenario) by \(summary.contender)" : summary.scenario
  }

  /// Notes on benchmarks whose times vary.
  private var scatter: [String] {
    let cells = scenarios.flatMap { scenario in
      scenario.cells.map { (name: Self.name($0.summary, scenario.cells.count > 1), cell: $0) }
    }
    return ScatterNotes.all(cells, margin: equivalenceMargin) { $1.perUnit($0) }
  }

  /// How times grow with the size, for benchmarks with at least four sizes.
  private var growing: [String] {
    growth.records.filter { $0.widths > 3 }.compactMap { record in
      guard let exponent = record.exponent else { return nil }
      let isShared = growth.records.count { $0.place == record.place } > 1
      let interval = GrowthReport.interval(record.exponentLow, record.exponentHigh)
      let sizes = [record.leastFanOut, record.mostFanOut].map { $0.map(NumberText.thousands) ?? "?" }
      return "\(record.place)\(isShared ? " by \(record.contender)" : "") grows with "
        + "N^\(NumberText.ratio(exponent)) \(interval), N from \(sizes.joined(separator: " to ")): "
        + (record.verdict ?? .unresolved).rawValue
    }
  }

  /// A note on benchmarks that are too short to be recorded in whole nanoseconds.
  private var coarse: [String] {
    let short = summaries.filter { ($0.medianNanoseconds ?? .infinity) < 50 }.map(\.scenario).unique()
    return short.isEmpty
      ? []
      : [
        "\(short.joined(separator: ", ")): times are recorded in whole nanoseconds. Repeat such a short body in a loop, and give the number of repetitions: throughput: .items(1_000)."
      ]
  }

  var suiteTerms: KeyValuePairs<String, String> {
    [
      "time": "median of the samples' means, per unit of the last column",
      "±": CellReport.uncertaintyTerm,
      "cpu": "processor time of the whole process, per the same unit",
      "allocs": "heap allocations, counted in separate passes",
      "retains": "retains of Swift objects, counted in separate passes",
      "ratio":
        "trimmed mean of the paired ratios to the reference of that name, with its 95 % interval; = and ?: as in every report",
      "p90": "90th percentile of the samples' means, per the same unit",
      "cold": "median of the first iterations of new processes, per the same unit",
    ]
  }
}

extension CellReport {
  /// Converts a time per job or iteration to a time per upload or other unit.
  func perUnit(_ nanoseconds: Double?) -> Double? { nanoseconds.map { $0 / summary.uploadsPerPost } }

  /// Half the width of the time's interval, as a share of the time; empty if unknown.
  var uncertainty: String {
    guard let low = summary.medianLowNanoseconds, let high = summary.medianHighNanoseconds,
      let median = summary.medianNanoseconds, median > 0
    else { return "" }
    return NumberText.percent(max(high - median, median - low) / median)
  }

  static let uncertaintyTerm =
    "how far another run's time may be from this one (95 %), estimated from differences between processes"
}

/// Describes times whose p90 is at least twice their median, or that have two modes.
struct TimeTail: Sendable {
  let median: Double
  let p90: Double
  let most: Double
  let modes: TwoModes?

  /// Returns `nil` if the median is a good summary, or if there are too few values.
  init?(_ values: [Double]) {
    guard values.count >= 20, let median = Quantiles.median(of: values), median > 0,
      let p90 = Quantiles.quantile(0.9, of: values), let most = values.max()
    else { return nil }
    (self.median, self.p90, self.most, modes) = (median, p90, most, TwoModes(values))
    if modes == nil, p90 < 2 * median { return nil }
  }
}

/// Notes on times that one number does not describe.
enum ScatterNotes {
  typealias Cells = [(name: String, cell: CellReport)]
  /// The largest number of names in a note. The note gives only the number of the others.
  private static let mostNames = 3

  /// - Parameter terms: converts a time to the unit of the table.
  static func all(_ cells: Cells, margin: Double, terms: (Double?, CellReport) -> Double?) -> [String] {
    let tails = cells.compactMap { name, cell -> (width: Double, text: String)? in
      guard let tail = cell.tail else { return nil }
      func time(_ value: Double) -> String { terms(value, cell).map(NumberText.time) ?? "?" }
      let modes = tail.modes.map {
        "two modes: \(time($0.low)) in \($0.lowCount) of \($0.lowCount + $0.highCount) samples, about \(time($0.high)) in \($0.highCount), "
      }
      let text = "p50 \(time(tail.median)), p90 \(time(tail.p90)), max \(time(tail.most))"
      // Times with two modes come first.
      let width = tail.modes.map { $0.high / $0.low * 1_000 } ?? tail.p90 / tail.median
      return (width, "\(name) \(modes ?? "")\(text)")
    }
    return [
      differing(cells, margin: margin, terms: terms),
      line(tails, "where a median misleads", separator: "; "),
    ].compactMap(\.self)
  }

  /// A note on times whose medians differ between processes by more than the margin; `nil` if there are none.
  private static func differing(_ cells: Cells, margin: Double, terms: (Double?, CellReport) -> Double?)
    -> String?
  {
    let wide = cells.compactMap { name, cell -> (width: Double, text: String)? in
      guard cell.summary.outcome == .measured, let range = cell.processNanoseconds, range.lowerBound > 0,
        let low = terms(range.lowerBound, cell), let high = terms(range.upperBound, cell)
      else { return nil }
      let width = high / low
      return width > (1 + margin) * (1 + margin) ? (width, "\(name) \(NumberText.span(low, high))") : nil
    }
    return line(wide, "medians of single processes", separator: ", ")
  }

  /// Lists what was found, widest spread first; `nil` if nothing was.
  private static func line(_ found: [(width: Double, text: String)], _ title: String, separator: String)
    -> String?
  {
    if found.isEmpty { return nil }
    let sorted = found.sorted { (-$0.width, $0.text) < (-$1.width, $1.text) }
    let others = found.count > mostNames ? "; \(found.count - mostNames) more" : ""
    return "\(title): " + sorted.prefix(mostNames).map(\.text).joined(separator: separator) + others
  }
}
