import Results

/// What the reports of a load run show of one scenario and rate, in words and without layout.
struct LoadTable {
  let title: String
  let rows: [LoadSummary]

  /// One for each scenario and rate, in the analysis' order; of a search, which tries many rates, one for each scenario
  /// with the rate that each contender holds.
  static func all(of analysis: LoadAnalysis) -> [LoadTable] {
    analysis.limits.isEmpty ? rates(analysis) : held(analysis)
  }

  private static func rates(_ analysis: LoadAnalysis) -> [LoadTable] {
    var tables: [[LoadSummary]] = []
    for row in analysis.summaries {
      if let last = tables.last?.first, last.subject.scenario == row.subject.scenario,
        last.offeredPerSecond == row.offeredPerSecond
      {
        tables[tables.count - 1].append(row)
      } else {
        tables.append([row])
      }
    }
    return tables.map { rows in
      let windows = Plural.counted(rows.map(\.windows).max() ?? 0, "window")
      let subject = rows[0].subject
      return LoadTable(
        title: "\(subject.scenario) at \(rate(rows[0].offeredPerSecond)), \(subject.schedule): \(windows)",
        rows: rows)
    }
  }

  private static func held(_ analysis: LoadAnalysis) -> [LoadTable] {
    var tables: [(scenario: String, rows: [LoadSummary])] = []
    for limit in analysis.limits {
      let row = analysis.summaries.first {
        $0.subject.contender == limit.contender && $0.subject.scenario == limit.scenario
          && (limit.outcome == .measured
            ? $0.offeredPerSecond == limit.heldPerSecond : $0.outcome != .measured)
      }
      guard let row else { continue }
      if tables.last?.scenario != limit.scenario { tables.append((limit.scenario, [])) }
      tables[tables.count - 1].rows.append(row)
    }
    return tables.map { LoadTable(title: "\($0.scenario), at the rate that each holds", rows: $0.rows) }
  }

  static let header = [
    "contender", "p50", "p99", "p99.9", "max", "late p99", "cpu", "verdict",
  ]

  func cells(of row: LoadSummary) -> [String] {
    let figures = row.figures
    return [
      row.subject.contender, Self.duration(figures.p50Nanoseconds), Self.duration(figures.p99Nanoseconds),
      Self.duration(figures.p999Nanoseconds), Self.duration(figures.maxNanoseconds),
      Self.duration(figures.latenessP99Nanoseconds),
      figures.processShare.map(NumberText.wholePercent) ?? "", Self.verdict(row),
    ]
  }

  /// What no column has room for.
  var notes: [String] {
    var notes: [String] = []
    let saturated = rows.filter { $0.verdict == .saturated }
    if !saturated.isEmpty {
      notes.append(
        "done of it: "
          + saturated.map {
            "\($0.subject.contender) \($0.figures.achievedPerSecond.map(Self.rate) ?? "nothing")"
          }.joined(separator: ", "))
    }
    let disturbed = rows.reduce(0) { $0 + $1.disturbedWindows }
    if disturbed > 0 {
      notes.append(
        "others had the processors in \(Plural.counted(disturbed, "window")): left out where they are fewer than the rest"
      )
    }
    return notes
  }

  /// Why a row has no numbers, if it has none.
  static func explanation(_ row: LoadSummary) -> String? {
    row.outcome == .measured ? nil : "\(row.outcome.rawValue.uppercased()): \(row.reason ?? "")"
  }

  static func verdict(_ row: LoadSummary) -> String {
    switch row.verdict {
    case .held: "held"
    case .missed: "missed"
    case .saturated: "saturated"
    case .generatorLate: "late"
    case .machineLimit: "machine"
    case nil: "too few"
    }
  }

  /// Such as `500/s` or `2.50/s`.
  static func rate(_ perSecond: Double) -> String { NumberText.whole(perSecond) + "/s" }

  static func duration(_ nanoseconds: Int?) -> String {
    nanoseconds.map { NumberText.duration(Double($0)) } ?? ""
  }

  static let limitHeader = ["contender", "holds", "misses", "windows", ""]

  static func cells(of limit: LoadLimit) -> [String] {
    var remarks: [String] = []
    if limit.outcome != .measured { remarks.append(limit.outcome.rawValue.uppercased()) }
    if !limit.isMonotone { remarks.append("misses a lower rate, too") }
    if let reason = limit.reason { remarks.append(reason) }
    return [
      limit.contender, limit.heldPerSecond.map(rate) ?? "nothing", limit.missedPerSecond.map(rate) ?? "",
      "\(limit.windows)", remarks.joined(separator: "; "),
    ]
  }
}

extension LoadAnalysis {
  /// The sentences at the top of a report, made of nothing but its rows.
  var headline: [String] {
    let contenders = Set(summaries.map(\.subject.contender)).count
    let rates = Set(summaries.map(\.offeredPerSecond)).count
    var sentences = [
      "\(Plural.counted(contenders, "contender")), \(Plural.counted(rates, "rate")), "
        + "\(Plural.counted(windows, "window"))."
    ]
    let verdicts = summaries.compactMap(\.verdict)
    if limits.isEmpty, !verdicts.isEmpty {
      let words: [(LoadVerdict, String)] = [
        (.held, "held"), (.missed, "missed"), (.saturated, "saturated"),
        (.generatorLate, "started too late to say"), (.machineLimit, "limited by the machine"),
      ]
      let counts = words.compactMap { verdict, word in
        let count = verdicts.count { $0 == verdict }
        return count > 0 ? "\(count) \(word)" : nil
      }
      sentences.append(counts.joined(separator: ", ") + (rule.objective.map { " (\($0))." } ?? "."))
    }
    let found = limits.filter { $0.heldPerSecond != nil && $0.outcome == .measured }
    if let best = found.max(by: { $0.heldPerSecond! < $1.heldPerSecond! }), let objective = rule.objective {
      sentences.append(
        "\(objective) holds up to \(LoadTable.rate(best.heldPerSecond!)) with \(best.contender)\(found.count > 1 ? ", the most" : "")."
      )
    }
    let failed = Set(summaries.filter { $0.outcome != .measured }.map(\.subject.contender))
    if !failed.isEmpty {
      sentences.append("Failed and not ranked: \(failed.sorted().joined(separator: ", ")).")
    }
    return sentences
  }

  /// What the columns mean, each with its name.
  var explanations: [(name: String, text: String)] {
    [
      (
        "p50 …",
        "latency from the moment at which a post was due, whenever it was started; empty where less than 10 posts lie beyond it"
      ),
      ("late p99", "how late the harness itself started posts: 99 in a hundred were no later"),
      ("cpu", "of all processors, by the contender's process"),
      ("verdict", rule.description),
    ]
      + (limits.isEmpty
        ? []
        : [
          (
            "holds",
            "the highest rate that was held in two windows; the limit lies between it and what is missed"
          )
        ])
  }
}
