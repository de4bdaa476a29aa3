import Results

extension RunAnalysis {
  /// Whether it is of a package's own benchmarks, which one table has room for.
  var isSuite: Bool {
    !scenarios.isEmpty && scenarios.allSatisfy { $0.cells.first?.summary.service == NoService.benchmark }
  }

  /// All benchmarks, a row for each; of those that several implement, a row for each of these.
  var suiteTable: Table {
    let rows = scenarios.flatMap { scenario in
      scenario.cells.map { (cell: $0, isShared: scenario.cells.count > 1, unit: scenario.unit) }
    }
    func has(_ value: (CellSummary) -> Double?) -> Bool { rows.contains { value($0.cell.summary) != nil } }
    typealias Field = Table.Field<(cell: CellReport, isShared: Bool, unit: String)>
    var fields: [Field] = [
      Field("benchmark", 24, isLeft: true) { .name(Self.name($0.cell.summary, $0.isShared)) },
      Field("time", 9) { .duration($0.cell.summary.nanosecondsPerUpload) },
      Field("±", 6) { Table.Cell(Self.uncertainty($0.cell.summary)) },
      Field("cpu", 9) { .duration($0.cell.summary.cpuNanosecondsPerUpload) },
      Field("allocs", 7) { .number($0.cell.summary.allocationsPerUpload, NumberText.count) },
      Field("retains", 8) { .number($0.cell.summary.retainsPerUpload, NumberText.count) },
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
          Table.Cell(
            $0.isShared ? ScenarioReport.interval($0.cell) : "")
        })
    }
    fields.append(Field("p90", on: .page) { .duration($0.cell.summary.p90Nanoseconds) })
    fields.append(Field("cold", on: .page) { .duration($0.cell.coldNanoseconds) })
    return Table(
      fields, rows,
      except: { row in
        row.cell.explanation.map {
          Table.Row([.name(Self.name(row.cell.summary, row.isShared))], remark: $0, .bad)
        }
      }, others: missing.map { Table.Row([.name($0.scenario)], remark: "not measured") }
    ).with { $0.notes = coarse }
  }

  private static func name(_ summary: CellSummary, _ isShared: Bool) -> String {
    isShared ? "\(summary.scenario) by \(summary.contender)" : summary.scenario
  }

  /// Half of the median's interval, as a share of it.
  private static func uncertainty(_ summary: CellSummary) -> String {
    guard let low = summary.medianLowNanoseconds, let high = summary.medianHighNanoseconds,
      let median = summary.medianNanoseconds, median > 0
    else { return "" }
    return NumberText.percent((high - low) / 2 / median)
  }

  /// What a record of whole nanoseconds says too little of.
  private var coarse: [String] {
    let short = summaries.filter { ($0.medianNanoseconds ?? .infinity) < 50 }.map(\.scenario).unique()
    return short.isEmpty
      ? []
      : [
        "\(short.joined(separator: ", ")): times are recorded in whole nanoseconds. Repeat so short a body in itself, and say how often: throughput: .items(1_000)."
      ]
  }

  /// What the columns of that table mean.
  var suiteTerms: KeyValuePairs<String, String> {
    [
      "time": "median of the samples' mean, per what the column says",
      "±": "half of the 95 % interval of that median",
      "cpu": "processor time of the whole process, likewise",
      "allocs": "heap allocations, counted in passes of their own",
      "retains": "retains of Swift objects, likewise",
      "ratio":
        "trimmed mean of the paired ratios to the one without `by:`, with its 95 % interval; = and ?: as in every report",
      "p90": "90th percentile of an iteration's time",
      "cold": "median of the first iterations of fresh processes",
    ]
  }
}
