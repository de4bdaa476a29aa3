import Foundation
import Results

extension Answer {
  /// The headline, the sentence below it, and the table of classes of work.
  func blocks(_ others: [String], isScreen: Bool) -> [Document.Block] {
    let sentences = [headline + ".", line].filter { !$0.isEmpty }
    guard !columns.isEmpty else { return [.paragraphs(sentences + others)] }
    return [
      .paragraphs(isScreen ? [sentences.joined(separator: " ")] : sentences + others),
      .only(.terminal, [.table(screen(isScreen ? others : []))]), .only(.page, [.table(page)]),
    ]
  }

  private typealias Field = Table.Field<Row>

  /// The table for a terminal, with contenders in groups. Rows below async/await compare it with DispatchGroup and OperationQueue.
  private func screen(_ notes: [String]) -> Table {
    let all = rows.filter { !$0.isVariant }
    // The title names the contender `usual`, to which ratios are relative. Its own row would contain only 1, so it is left out.
    let plain = all.filter { $0.contender != usual || $0.costs.contains { $0.failed > 0 } || all.count < 3 }
    let fields = classFields { .pair($0.costs[$1], self.usual) }
    var table = Table(fields, [Row]())
    let groups = plain.map { $0.idiom?.group ?? "" }.unique()
    for group in groups {
      if groups.count > 1 || !group.isEmpty {
        let note = note(on: group)
        let heading = (group.isEmpty ? "others" : group) + (note.isEmpty ? "" : ": ") + note
        table.rows.append(Table.Row([Table.Cell(heading)], .strong))
      }
      for row in plain where (row.idiom?.group ?? "") == group {
        table.rows += Table(fields, [row]).rows
        guard row.contender == Self.asked, row.run == nil else { continue }
        table.rows += ["gcd-groups", "operations"].filter { references.contains($0) && $0 != usual }.map {
          other in
          Table.Row([Table.Cell("vs \(name(other))")] + columns.indices.map { .pair(row.costs[$0], other) })
        }
      }
    }
    table.title = "Time/CPU as multiples of \(name(usual)), means of each class of work"
    let texts = table.rows.flatMap { $0.cells.dropFirst().map(\.text) }
    let signs = [("~", "~ may be no difference"), ("?", "? unknown: too few or too different samples")]
      .filter { sign, _ in texts.contains { $0.contains(sign) } }.map(\.1)
    let isPaired = table.rows.contains { $0.cells[0].text.hasPrefix("vs ") }
    let sentences =
      (signs.isEmpty ? [] : [signs.joined(separator: "; ") + "."])
      + (isPaired ? ["A row vs another pairs samples: means of ratios do not divide."] : []) + notes
    table.notes = sentences.isEmpty ? [] : [sentences.joined(separator: " ")]
    return table
  }

  /// The table for a Markdown page, with intervals and with columns that a terminal has no room for.
  private var page: Table {
    var fields: [Field] = [
      Field("contender", isLeft: true) { .name($0.contender) },
      Field("is", isLeft: true) { Table.Cell($0.title) },
      Field("group", isLeft: true) { row in
        Table.Cell((row.idiom?.group ?? "") + (row.run.map { " (run \($0))" } ?? ""))
      },
    ]
    for (index, column) in columns.enumerated() {
      for (title, measure) in [("time", \Cost.time), ("CPU", \Cost.processor)] {
        fields.append(
          Field(title, above: column.workClass.title) { row in
            row.contender == usual ? "1" : Table.Cell(row.costs[index][keyPath: measure][usual]?.text ?? "")
          })
      }
    }
    fields.append(Field("lines") { .count($0.lines) })
    return Table(fields, rows).with {
      $0.title = "Multiples of \(name(usual)), geometric means of each class of work with 95 % intervals"
    }
  }

  private func classFields(_ cell: @escaping (Row, Int) -> Table.Cell) -> [Field] {
    [Field("contender", 17, isLeft: true) { Table.Cell($0.title) }]
      + columns.indices.map { index in
        // A title such as `uploads wait` is split: its last word is the column's title, and the words before it stand above.
        let words = columns[index].workClass.title.split(separator: " ").map(String.init)
        return Field(words.last ?? "", 10, above: words.dropLast().joined(separator: " ")) { cell($0, index) }
      }
  }
}

extension Table.Cell {
  /// A cell with the ratios of time and processor time, such as `1.04/1.6`. An undecided ratio has one decimal and a `~` in front of it, or
  /// is shown as `?` if its interval reaches to half or double.
  fileprivate static func pair(_ cost: Answer.Cost, _ reference: String) -> Table.Cell {
    func part(_ mean: ClassMean?) -> (text: String, heat: Double?) {
      guard let mean else { return ("-", nil) }
      guard mean.finding == .open else { return (NumberText.multiple(mean.ratio), mean.ratio) }
      let isNear = mean.interval.map { 0.5 < $0.lowerBound && $0.upperBound < 2 } ?? false
      return (isNear ? "~" + String(format: "%.1f", mean.ratio) : "?", nil)
    }
    if cost.time.isEmpty && cost.processor.isEmpty || cost.time[reference] == nil {
      let isReference = cost.example?.summary.contender == reference
      return Table.Cell(isReference ? "1/1" : cost.failed > 0 ? "fail" : "-")
    }
    let parts = [part(cost.time[reference]), part(cost.processor[reference])]
    var cell = Table.Cell(parts.map(\.text).joined(separator: "/"))
    cell.heats = parts.map(\.heat)
    return cell
  }
}

extension ClassMean {
  /// The ratio and its interval, such as `1.6 [1.4, 1.8]`, with a `?` if the ratio is undecided.
  fileprivate var text: String {
    let ends = interval.map {
      " [\(NumberText.multiple($0.lowerBound)), \(NumberText.multiple($0.upperBound))]"
    }
    return NumberText.multiple(ratio) + (ends ?? "") + (finding == .open ? " ?" : "")
  }
}

extension Answer: JSONEncodable {
  /// The version of the layout of answer.json. Files of another version are not read.
  static let version = 3

  /// The content of answer.json.
  public var jsonObject: JSONObject {
    [
      "version": Self.version, "headline": headline, "line": line, "place": place, "margin": margin,
      "usual": usual, "references": references, "notes": notes, "classes": columns,
      "contenders": rows.map(json),
      "groups": rows.map { $0.idiom?.group ?? "" }.unique().map {
        ["title": $0, "note": note(on: $0) + besides($0)] as JSONObject
      },
      "jobs": jobs.map { ["scenario": $0.scenario, "title": $0.title] as JSONObject },
      "other_runs": otherRuns.map { ["run": $0.name, "place": $0.place] as JSONObject },
      "picks": picks.map { pick -> JSONObject in
        [
          "class": pick.workClass, "title": pick.title, "work": pick.work, "take": pick.take,
          "why": pick.why, "wrong": pick.wrong,
          "facts": pick.facts.map { [$0.number, $0.text] },
        ]
      },
      "growth": growth.map {
        ["title": $0.title, "text": $0.text, "scenario_names": $0.scenarios] as JSONObject
      },
    ]
  }

  private func json(_ row: Row) -> JSONObject {
    [
      "contender": row.contender, "title": row.title, "is": row.idiom?.name, "group": row.idiom?.group,
      "variant": row.isVariant, "run": row.run, "lines": row.lines,
      "library_lines": row.idiom?.libraryLines, "breaks": row.idiom?.breaks,
    ]
      + JSONObject(
        zip(columns, row.costs).map { column, cost in
          (JSONKey(column.workClass.rawValue), cost.jsonObject)
        })
  }
}

extension Answer.Column: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "class": workClass, "title": workClass.title, "meaning": workClass.words.meaning,
      "scenarios": names.count, "scenario_names": names, "example": example,
      "example_uploads": exampleUploads,
    ]
  }
}

extension Answer.Cost: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "failed": failed, "measured": measured, "peak_threads": peakThreads,
      "hand_overs_per_upload": threadSwitchesPerUpload?.brief,
      "example_ns": example?.summary.medianNanoseconds?.brief,
      "example_cpu_ns": example?.processorNanoseconds?.brief,
      "beside": JSONObject(
        time.keys.sorted().map { name in
          (JSONKey(name), ["time": time[name], "processor": processor[name]] as JSONObject)
        }),
    ]
  }
}

extension ClassMean: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "ratio": ratio.brief, "low": interval?.lowerBound.brief, "high": interval?.upperBound.brief,
      "finding": finding, "undecided": undecided, "least": apart?.lowerBound.brief,
      "most": apart?.upperBound.brief,
    ]
  }
}

extension Double {
  /// The number rounded to five digits. Rounding it again, to the three digits that are shown, adds hardly any error.
  fileprivate var brief: Double { Double(String(format: "%.5g", self)) ?? self }
}

extension CellReport {
  /// The processor time of all threads for one whole job.
  var processorNanoseconds: Double? {
    summary.cpuNanosecondsPerUpload.map { $0 * summary.uploadsPerPost }
  }
}
