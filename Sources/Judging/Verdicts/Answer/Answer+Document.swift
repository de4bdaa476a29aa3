import Results

extension Answer {
  /// What is to be taken, with what else there is to say of the whole run, and the tables; a screen has room for two.
  func blocks(_ others: [String], isScreen: Bool) -> [Document.Block] {
    // Sentences name another spelling where it matters.
    let rows = rows.filter { !isScreen || !$0.isVariant }
    let legend = legend(isShort: isScreen)
    let last = means("Processor time", \.processor, of: rows).with {
      $0.notes = (legend.isEmpty ? [] : [legend + "."]) + [signs]
    }
    return [.paragraphs(sentences + besides + others)] + (isScreen ? [] : [.table(jobs)])
      + [.table(means("Time", \.time, of: rows)), .table(last)]
  }

  private typealias Field = Table.Field<Row>

  /// What a whole job takes in one scenario of each class that people ask for.
  private var jobs: Table {
    let times = rows.flatMap { row in examples.map { row.costs[$0].example } }.compactMap(\.self).flatMap {
      [$0.summary.medianNanoseconds, $0.processorNanoseconds].compactMap(\.self)
    }
    let unit = TimeUnit.common(times) ?? .fitting(times.min() ?? 0)
    func time(_ nanoseconds: Double?) -> Table.Cell {
      .number(nanoseconds) { NumberText.duration($0, unit: unit).replacing(" " + unit.name, with: "") }
    }
    let fields = examples.flatMap { index in
      let column = columns[index]
      func field(_ title: String, _ width: Int, _ cell: @escaping (CellReport) -> Table.Cell) -> Field {
        Field(title, width, above: column.workClass.title) { $0.costs[index].example.map(cell) ?? "" }
      }
      return [
        field("time", 8) { $0.summary.outcome == .measured ? time($0.summary.medianNanoseconds) : "fail" },
        field("cpu", 7) { time($0.processorNanoseconds) },
      ]
    }
    let name = Field("contender", 18, isLeft: true) { .name($0.contender, shipsWith: $0.idiom?.shipsWith) }
    let pages = [
      Field("is", isLeft: true, on: .page) { Table.Cell($0.idiom?.name ?? "") },
      Field("group", isLeft: true, on: .page) { Table.Cell($0.idiom?.group ?? "") },
    ]
    return Table([name] + (rows.contains { $0.idiom != nil } ? pages : []) + fields, rows).with {
      let uploads = Self.list(examples.map { NumberText.thousands(columns[$0].exampleUploads) })
      $0.title = "A whole job of \(uploads) uploads: time and processor time (cpu) in \(unit.name.trimmed)"
    }
  }

  private func means(_ what: String, _ mean: KeyPath<Cost, Mean>, of rows: [Row]) -> Table {
    let fields = columns.indices.map { index in
      // Of two words one stands above the other.
      let words = columns[index].workClass.title.split(separator: " ").map(String.init)
      let above = words.dropLast().joined(separator: " ")
      return Field(words.last ?? "", 9, above: above) { cell($0, index, mean) }
    }
    return Table(
      [Field("contender", 20, isLeft: true) { .name($0.contender, shipsWith: $0.idiom?.shipsWith) }] + fields,
      rows
    ).with { $0.title = "\(what) relative to \(baseline), geometric means of a class" }
  }

  /// `~`: some scenarios are not decided, or failed; `?`: none is.
  private func cell(_ row: Row, _ column: Int, _ mean: KeyPath<Cost, Mean>) -> Table.Cell {
    let cost = row.costs[column]
    let mean = cost[keyPath: mean]
    guard let ratio = mean.ratio else {
      return Table.Cell(!mean.undecided.isEmpty ? "?" : cost.failed > 0 ? "fail" : "-")
    }
    // Nobody is compared where the baseline failed.
    let isWhole = mean.undecided.isEmpty && (cost.failed == 0 || row.contender == baseline)
    return Table.Cell((isWhole ? "" : "~") + NumberText.ratio(ratio))
  }

  /// Who ships whom; what comes with Swift is known by another name.
  private func legend(isShort: Bool) -> String {
    Table.Cell.shippers.compactMap { shipper -> String? in
      let theirs = rows.filter { $0.idiom?.shipsWith == shipper.shipsWith && !$0.isVariant }
      guard !theirs.isEmpty else { return nil }
      let names = theirs.compactMap { row in row.idiom.map { "\(row.contender) (\($0.name))" } }
      let list = isShort ? "" : ": \(names.joined(separator: ", "))"
      return shipper.mark.map { "\($0) comes with \(shipper.meaning)\(list)" }
        ?? "the others with \(shipper.meaning)"
    }.joined(separator: "; ")
  }

  private var signs: String {
    let texts = rows.flatMap { row in
      columns.indices.flatMap { [cell(row, $0, \.time).text, cell(row, $0, \.processor).text] }
    }
    let counts = columns.map { String($0.scenarios) }
    let means = "means of \(Self.list(counts)) scenarios" + (apart > 0 ? " (\(apart) more: --details)" : "")
    let unknown = [
      texts.contains { $0.hasPrefix("~") } ? "~ not decided in each" : nil,
      texts.contains("?") ? "? in none" : nil,
    ].compactMap(\.self)
    let classes = columns.filter { [.limited, .failing].contains($0.workClass) }
      .map { "\($0.workClass.title): \($0.workClass.words.meaning)" }
    return ([means] + classes + unknown).joined(separator: "; ") + "."
  }
}

extension Answer: JSONEncodable {
  /// The content of answer.json.
  public var jsonObject: JSONObject {
    [
      "baseline": baseline, "headline": headline, "sentences": sentences, "notes": besides + notes,
      "classes": columns,
      "contenders": rows.map { row -> JSONObject in
        ["contender": row.contender, "idiom": row.idiom.orNull, "group": (row.idiom?.group).orNull]
          + JSONObject(zip(columns, row.costs).map { (JSONKey($0.workClass.rawValue), $1) })
      },
      "pairs": pairs.map(\.jsonObject),
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
      "peak_threads": peakThreads.orNull,
      "example_ns_per_upload": (decidedExample?.summary.nanosecondsPerUpload).rounded,
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
