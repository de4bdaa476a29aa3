import Results

extension LoadAnalysis {
  public func document(_ context: ReportContext = ReportContext()) -> Document {
    let tables = limitTables + rateTables
    return Document(
      title: run,
      [
        .warnings(ReportNotes.warnings(context)),
        .paragraphs([(headline + ReportNotes.conditions(context.environment)).joined(separator: " ")]),
      ]
        + tables.map(Document.Block.table)
        + Document.legend(of: tables, terms) + [
          .paragraphs(ReportNotes.machine(context.environment)),
          .only(.terminal, [.commands(context.nextSteps, title: "Next")]),
        ]
    ).marked(context.environment?.idioms ?? [:])
  }

  /// The results of `bench load` as JSON for other programs. Unknown values are null; names and units are those of the CSV files.
  public func json(_ context: ReportContext = ReportContext()) throws -> String {
    try JSONText.of(
      [
        "run": run, "environment": context.environment, "headline": headline.joined(separator: " "),
        "rule": rule.description, "windows": windows, "rates": summaries.map(\.jsonObject),
        "limits": limits.map(\.jsonObject),
      ] as JSONObject)
  }

  var headline: [String] {
    let contenders = Set(summaries.map(\.subject.contender)).count
    let rates = Set(summaries.map(\.offeredPerSecond)).count
    var sentences = [
      Plural.counted(contenders, "contender") + ", " + Plural.counted(rates, "rate") + ", "
        + Plural.counted(windows, "window") + "."
    ]
    let verdicts = summaries.compactMap(\.verdict)
    if limits.isEmpty, !verdicts.isEmpty {
      let counts = LoadVerdict.allCases.compactMap { verdict in
        let count = verdicts.count { $0 == verdict }
        return count > 0 ? "\(count) " + verdict.words.phrase : nil
      }
      sentences.append(counts.joined(separator: ", ") + (rule.objective.map { " (\($0))." } ?? "."))
    }
    let found = limits.filter { $0.heldPerSecond != nil && $0.outcome == .measured }
    if let best = found.max(by: { $0.heldPerSecond! < $1.heldPerSecond! }), let objective = rule.objective {
      sentences.append(
        "\(objective) is sustained up to " + Self.rate(best.heldPerSecond) + " by " + best.contender
          + (found.count > 1 ? ", the most." : "."))
    }
    let failed = Set(summaries.filter { $0.outcome != .measured }.map(\.subject.contender))
    if !failed.isEmpty {
      sentences.append("Failed and not ranked: " + failed.sorted().joined(separator: ", ") + ".")
    }
    return sentences
  }

  private var limitTables: [Table] {
    let asked = rule.objective.map(\.description) ?? ""
    return limits.map(\.scenario).unique().map { scenario in
      Table(
        title: "\(scenario): rates that sustain \(asked)",
        [
          Table.Field<LoadLimit>("contender", 17, isLeft: true) { .name($0.contender) },
          Table.Field("sustained", 10) {
            Table.Cell($0.heldPerSecond == nil ? "nothing" : Self.rate($0.heldPerSecond))
          },
          Table.Field("not", 10) { Table.Cell(Self.rate($0.missedPerSecond)) },
          Table.Field("windows", 9) { .count($0.windows) },
        ], limits.filter { $0.scenario == scenario }, remark: Self.remark)
    }
  }

  private static func remark(_ limit: LoadLimit) -> String? {
    let remarks = [
      limit.outcome == .measured ? nil : limit.outcome.rawValue.uppercased(),
      limit.isMonotone ? nil : "a lower rate is not sustained, either", limit.reason,
    ].compactMap(\.self)
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }

  /// One table for each scenario and rate. After a search for the highest rate: one for each scenario, at each contender's highest rate.
  var rateTables: [Table] {
    guard limits.isEmpty else {
      return limits.map(\.scenario).unique().compactMap { scenario in
        let rows = limits.filter { $0.scenario == scenario }.compactMap(sustained)
        return rows.isEmpty ? nil : table("\(scenario), at the rate that each sustains", rows)
      }
    }
    return summaries.inGroups { [$0.subject.scenario, "\($0.offeredPerSecond)"] }.map { rows in
      let windows = Plural.counted(rows.map(\.windows).max() ?? 0, "window")
      let subject = rows[0].subject
      return table(
        "\(subject.scenario) at \(Self.rate(rows[0].offeredPerSecond)), \(subject.schedule): \(windows)", rows
      )
    }
  }

  private func sustained(_ limit: LoadLimit) -> LoadSummary? {
    summaries.first {
      $0.subject.contender == limit.contender && $0.subject.scenario == limit.scenario
        && (limit.outcome == .measured ? $0.offeredPerSecond == limit.heldPerSecond : $0.outcome != .measured)
    }
  }

  private typealias Field = Table.Field<LoadSummary>

  private static var fields: [Field] {
    [
      Field("contender", 17, isLeft: true) { .name($0.subject.contender) },
      Field("p50", 8, term: "p50 …") { duration($0.figures.p50Nanoseconds) },
      Field("p99", 8) { duration($0.figures.p99Nanoseconds) },
      Field("p99.9", 8) { duration($0.figures.p999Nanoseconds) },
      Field("max", 8) { duration($0.figures.maxNanoseconds) },
      Field("late", 8) { duration($0.figures.latenessP99Nanoseconds) },
      Field("cpu", 7) { .number($0.figures.processShare, NumberText.wholePercent) },
      Field("verdict", 14) { Table.Cell($0.verdict?.words.word ?? "too few") },
    ]
  }

  private var terms: KeyValuePairs<String, String> {
    [
      "p50 …":
        "latency from the moment at which a post was due, whenever it was started; empty where less than 10 posts lie beyond it",
      "late": "p99 of the delays with which the harness itself started posts",
      "cpu": "share of all processors that the contender's process used", "verdict": rule.description,
      "sustained":
        "the highest rate that was sustained in two windows; the limit lies between it and the one that was not",
    ]
  }

  private func table(_ title: String, _ rows: [LoadSummary]) -> Table {
    Table(title: title, Self.fields, rows, tone: { $0.verdict?.words.tone ?? .faint }) { row in
      if row.outcome == .measured { return nil }
      let reason = row.outcome.rawValue.uppercased() + ": " + (row.reason ?? "")
      return Table.Row([.name(row.subject.contender)], remark: reason, .bad)
    }.with { $0.notes = Self.notes(rows) }
  }

  private static func notes(_ rows: [LoadSummary]) -> [String] {
    var notes: [String] = []
    let saturated = rows.filter { $0.verdict == .saturated }
    if !saturated.isEmpty {
      let done = saturated.map { row in
        row.subject.contender + " "
          + (row.figures.achievedPerSecond == nil ? "nothing" : rate(row.figures.achievedPerSecond))
      }
      notes.append("achieved rate: " + done.joined(separator: ", "))
    }
    let disturbed = rows.reduce(0) { $0 + $1.disturbedWindows }
    if disturbed > 0 {
      notes.append(
        "other processes used the processors in " + Plural.counted(disturbed, "window")
          + "; such windows are left out if they are the minority")
    }
    return notes
  }

  /// The rate as text, such as `500/s` or `2.50/s`; empty if unknown.
  private static func rate(_ perSecond: Double?) -> String {
    perSecond.map { NumberText.whole($0) + "/s" } ?? ""
  }

  private static func duration(_ nanoseconds: Int?) -> Table.Cell {
    .duration(nanoseconds.map { Double($0) })
  }
}

extension LoadVerdict {
  /// The verdict as a word for tables and as a phrase for sentences, with their tone, such as bad.
  fileprivate var words: (word: String, phrase: String, tone: Document.Tone) {
    switch self {
    case .held: ("sustained", "sustained", .plain)
    case .missed: ("not sustained", "not sustained", .bad)
    case .saturated: ("saturated", "saturated", .bad)
    case .generatorLate: ("late", "started too late to say", .faint)
    case .machineLimit: ("machine", "limited by the machine", .faint)
    }
  }
}
