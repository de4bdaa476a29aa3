import Results

extension Answer {
  /// The summary, with what else there is to say of the whole run, and both tables.
  func blocks(_ others: [String]) -> [Document.Block] {
    [.paragraphs(summary + others), .table(costs), .table(threadSwitches)]
  }

  private typealias Field = Table.Field<Row>

  /// Time and processor time side by side, so that what a second processor hides is seen.
  private var costs: Table {
    let fields = columns.indices.flatMap { index in
      let title = columns[index].workClass.title
      // So that titles beside each other do not touch.
      let isWide = columns[index].workClass == .uploadsWait
      return [
        Field("time", isWide ? 7 : 6, above: title) { Self.cell($0.costs[index], \.time) },
        Field("cpu", 6, above: title) { Self.cell($0.costs[index], \.processor) },
      ]
    }
    return table(fields).with {
      $0.title = "Time and processor time (cpu) of an upload, \(baseline) = 1: geometric means"
      $0.rows.append(
        Table.Row([.name("scenarios")] + columns.flatMap { [Table.Cell("\($0.scenarios)"), ""] }, .faint))
    }
  }

  private var threadSwitches: Table {
    let hasIdioms = rows.contains { $0.idiom != nil }
    let idioms: [Field] =
      hasIdioms
      ? [
        Field("is", isLeft: true) { row in
          guard let idiom = row.idiom else { return "" }
          return Table.Cell(idiom.name, short: idiom.name + (Table.Cell.mark(of: idiom.shipsWith) ?? ""))
        }, Field("ships with", isLeft: true, on: .page) { Table.Cell($0.idiom?.shipsWith ?? "") },
      ] : []
    let each = [
      Field(NumberText.thousands(columns[0].exampleUploads), 8, above: "each of") {
        .duration($0.costs[0].exampleNanoseconds)
      }
    ]
    let counts = columns.indices.map { index in
      let heading = columns[index].workClass.words
      return Field(heading.below, heading.above.count + 1, above: heading.above) {
        .number($0.costs[index].threadSwitchesPerUpload, NumberText.count)
      }
    }
    return table(idioms + each + counts).with {
      $0.title = "Time of one upload; thread switches per upload, class medians"
      $0.notes = notes(hasIdioms: hasIdioms)
    }
  }

  private func table(_ fields: [Field]) -> Table {
    Table([Field("contender", 17, isLeft: true) { .name($0.contender) }] + fields, rows)
  }

  /// `~`: some scenarios are not decided; `?`: none is.
  private static func cell(_ cost: Cost, _ mean: KeyPath<Cost, Mean>) -> Table.Cell {
    let mean = cost[keyPath: mean]
    guard let ratio = mean.ratio else {
      return Table.Cell(!mean.undecided.isEmpty ? "?" : cost.failed > 0 ? "fail" : "-")
    }
    let isWhole = mean.undecided.isEmpty && cost.failed == 0
    return Table.Cell((isWhole ? "" : "~") + NumberText.ratio(ratio))
  }

  private func notes(hasIdioms: Bool) -> [String] {
    let texts = rows.flatMap(\.costs).flatMap {
      [Self.cell($0, \.time).text, Self.cell($0, \.processor).text]
    }
    var signs: [String] = []
    if texts.contains(where: { $0.hasPrefix("~") }) { signs.append("~ not all of them decided") }
    if texts.contains("?") { signs.append("? none is decided") }
    let shippers = Set(rows.compactMap { $0.idiom?.shipsWith })
    signs += Table.Cell.shippers.filter { shippers.contains($0.name) }.map { shipper in
      shipper.mark.map { "\($0) comes with \(shipper.meaning)" } ?? "the others with \(shipper.meaning)"
    }
    let classes = columns.filter { !$0.workClass.words.meaning.isEmpty }
      .map { "\($0.workClass.title): \($0.workClass.words.meaning)" }
    return [(classes + signs).joined(separator: "; ") + "."]
  }
}

extension Answer: JSONEncodable {
  /// The content of answer.json.
  public var jsonObject: JSONObject {
    [
      "baseline": baseline, "headline": headline, "sentences": sentences, "classes": columns,
      "contenders": rows.map { row -> JSONObject in
        ["contender": row.contender, "idiom": row.idiom.orNull]
          + JSONObject(zip(columns, row.costs).map { (JSONKey($0.workClass.rawValue), $1) })
      },
    ]
  }
}

extension Answer.Column: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "class": workClass, "title": workClass.title, "meaning": workClass.words.meaning,
      "scenarios": scenarios,
      "scenario_names": names, "example": example, "example_uploads": exampleUploads,
    ]
  }
}

extension Answer.Cost: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "time": time, "processor": processor, "hand_overs_per_upload": threadSwitchesPerUpload.rounded,
      "peak_threads": peakThreads.orNull, "example_ns_per_upload": exampleNanoseconds.rounded,
      "failed": failed,
    ]
  }
}

extension Answer.Mean: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "mean_ratio": ratio.rounded, "decided": decided, "undecided": undecided.count,
      "undecided_scenarios": undecided, "most_ratio": (most?.ratio).rounded,
      "most_scenario": (most?.scenario).orNull,
    ]
  }
}
