import Results

extension RunAnalysis {
  public func document(_ context: ReportContext = ReportContext()) -> Document {
    let tables = scenarios.map { $0.table(of: self) } + growth.tables
    var blocks: [Document.Block] = [
      .warnings(ReportNotes.warnings(context)),
      .paragraphs([(headline + ReportNotes.handOvers(context.environment)).joined(separator: " ")]),
    ]
    blocks += tables.map(Document.Block.table)
    blocks.append(.list(growth.sentences, .strong))
    let notes =
      ReportNotes.leftOut(self, context) + ReportNotes.machine(context.environment)
      + ReportNotes.machines(context.environment)
    blocks.append(
      .fold(
        "How to read, what was left out, where it was measured",
        Document.legend(of: tables, terms) + [
          .paragraphs(notes),
          .only(.page, [.commands(context.commandLine, title: "Command")]),
        ]))
    blocks.append(.only(.terminal, [.commands(context.nextSteps, title: "Next")]))
    return Document(title: run, blocks)
  }

  /// The sentences and tables that a run shows while it is under way.
  public var summary: (headline: [Document.Block], tables: [Document.Block]) {
    ([.paragraphs([headline.joined(separator: " ")])], scenarios.map { .table($0.table(of: self)) })
  }

  /// The sentences at the top, made of nothing but the rows.
  var headline: [String] {
    let cells = scenarios.flatMap(\.cells)
    let verdicts = cells.compactMap(\.summary.verdict)
    let contenders = Set(cells.filter { $0.standing != .externalBaseline }.map(\.summary.contender)).count
    let names = Set(scenarios.map(\.name)).count
    let machines = Set(scenarios.compactMap(\.place.machine)).count
    var sentences = [
      Plural.counted(contenders, "contender") + ", " + Plural.counted(names, "scenario")
        + (machines > 1 ? " on \(machines) machines, " : ", ") + Plural.counted(sampleCount, "sample") + "."
    ]
    if verdicts.isEmpty {
      sentences.append("Nothing to compare with \(reference).")
    } else {
      let counts = Verdict.allCases.map { verdict in
        "\(verdicts.count { $0 == verdict }) " + verdict.rawValue
      }
      sentences.append("Against \(reference): " + counts.joined(separator: ", ") + ".")
    }
    let noisy = scenarios.count { $0.disturbance.isNoisy }
    if noisy > 0 {
      sentences.append(Plural.counted(noisy, "scenario") + " noisy: more than 30 % of the rounds dropped.")
    }
    if !failed.isEmpty {
      sentences.append(Plural.counted(failed.count, "cell") + " failed and not ranked.")
    }
    if !missing.isEmpty {
      sentences.append(Plural.counted(missing.count, "cell") + " not measured at all.")
    }
    return sentences
  }

  /// What most times are per: uploads, unless no scenario uploads.
  var unit: String { scenarios.allSatisfy { $0.about != nil } ? "unit" : "upload" }

  /// Whether anything stands beside the contenders that is none.
  var hasExternalBaseline: Bool {
    scenarios.contains { $0.cells.contains { $0.standing == .externalBaseline } }
  }
}
