import Results
import Statistics

extension RunAnalysis {
  /// The report for a terminal: the summary on one screen, or all tables if there is no summary.
  public func screen(_ context: ReportContext = ReportContext()) -> Document {
    guard hasAnswer || contexts != nil else { return document(context) }
    return Document(
      title: run,
      [.warnings(ReportNotes.warnings(context))] + head(context, isScreen: true) + [
        .commands(
          context.nextSteps,
          title: "Every table, charts" + (context.numbers.map { "; all numbers: " + $0 } ?? ""))
      ])
  }

  /// The whole report: the summary and all tables.
  public func document(_ context: ReportContext = ReportContext()) -> Document {
    let tables = isSuite ? [suiteTable] : scenarios.map { $0.table(of: self) } + growth.tables
    var blocks: [Document.Block] = [.warnings(ReportNotes.warnings(context))] + head(context, isScreen: false)
    blocks += tables.map(Document.Block.table)
    if !isSuite { blocks.append(.list(growth.sentences, .strong)) }
    let notes =
      ReportNotes.leftOut(self, context) + ReportNotes.machine(context.environment)
      + ReportNotes.machines(context.environment)
    blocks.append(
      .fold(
        "How to read, what was left out, where it was measured",
        Document.legend(of: tables, isSuite ? suiteTerms : terms) + [
          .paragraphs(notes),
          .only(.page, [.commands(context.commandLine, title: "Command")]),
        ]))
    blocks.append(.only(.terminal, [.commands(context.nextSteps, title: "Next")]))
    return Document(title: run, blocks)
  }

  /// - Parameter context: the record of the run, and other runs whose contenders are shown, too.
  public func answer(_ context: ReportContext) -> Answer {
    Answer(self, context.environment, others: context.others)
  }

  /// Whether the run compares at least two scenarios of one class of work, so that there is a summary.
  public var hasAnswer: Bool {
    let compared = scenarios.filter {
      $0.context == nil && $0.workClass.map(ScenarioClass.columns.contains) ?? false
    }
    return compared.count > 1 && compared.contains { $0.cells.contains { $0.comparison != nil } }
  }

  private var contexts: ContextOverview? { ContextOverview(self) }

  private func head(_ context: ReportContext, isScreen: Bool) -> [Document.Block] {
    let conditions = ReportNotes.conditions(context.environment)
    let contexts = contexts?.blocks ?? []
    guard hasAnswer else { return [.paragraphs([(headline + conditions).joined(separator: " ")])] + contexts }
    return (isScreen ? [] : [.paragraphs([([counts] + conditions).joined(separator: " ")])])
      + answer(context).blocks(open, isScreen: isScreen) + contexts
  }

  /// The headline and tables that are shown while a run goes on.
  public var summary: (headline: [Document.Block], tables: [Document.Block]) {
    ([.paragraphs([headline.joined(separator: " ")])], scenarios.map { .table($0.table(of: self)) })
  }

  var headline: [String] {
    guard isSuite else { return [counts] + open }
    // In a package's own benchmarks, there is often nothing to compare with.
    let isCompared = scenarios.contains { $0.cells.contains { $0.summary.verdict != nil } }
    return [Plural.counted(Set(scenarios.map(\.name)).count, "benchmark") + "."]
      + (isCompared ? open : Array(open.dropFirst()))
  }

  private var counts: String {
    let cells = scenarios.flatMap(\.cells)
    let contenders = Set(cells.filter { $0.standing != .externalBaseline }.map(\.summary.contender)).count
    let names = Set(scenarios.map(\.name)).count
    let machines = Set(scenarios.compactMap(\.place.machine)).count
    return Plural.counted(contenders, "contender") + ", " + Plural.counted(names, "scenario")
      + (machines > 1 ? " on \(machines) machines." : ".")
  }

  /// Sentences that count what is undecided, noisy, failed or missing.
  var open: [String] {
    var sentences = [unresolved]
    let noisy = scenarios.count { $0.disturbance.isNoisy }
    if noisy > 0 {
      sentences.append(
        Plural.counted(noisy, "scenario")
          + " noisy: more than \(NumberText.percent(mostDisturbedShare)) of the samples dropped.")
    }
    if !failed.isEmpty {
      let cells = failed.prefix(2).map { cell in
        (isSuite ? "" : "\(cell.summary.contender) in ") + cell.summary.scenario
          + (cell.reasons.first.map { " (\(SafeText.visible(SafeText.excerpt($0.text, 50))))" } ?? "")
      }
      let others = failed.count - cells.count
      sentences.append(
        "Failed: " + cells.joined(separator: ", ") + (others > 0 ? " and \(others) more." : "."))
    }
    if !missing.isEmpty { sentences.append(Plural.counted(missing.count, "cell") + " not measured at all.") }
    return sentences
  }

  private var unresolved: String {
    let cells = scenarios.flatMap(\.cells)
    let times = cells.compactMap(\.summary.verdict)
    let processor = cells.compactMap { $0.processor?.verdict }
    // The sentence names the reference only if all scenarios have the same one.
    let with = Set(summaries.compactMap(\.reference)).count > 1 ? "" : " with \(reference)"
    guard !times.isEmpty else { return "Nothing to compare\(with)." }
    let time = "time \(times.count { $0 == .unresolved })"
    let cpu = "cpu \(processor.count { $0 == .unresolved })"
    let counts =
      processor.count == times.count
      ? "\(time) and \(cpu) of \(Plural.counted(times.count, "comparison"))"
      : "\(time) of \(Plural.counted(times.count, "comparison"))"
        + (processor.isEmpty ? "" : ", \(cpu) of \(processor.count)")
    return "Undecided: " + counts + "\(with)."
  }

  var unit: String { scenarios.allSatisfy { $0.about != nil } ? "unit" : "upload" }

  /// Whether the run measured `cp` in addition to the contenders.
  var hasCopy: Bool {
    scenarios.contains { $0.cells.contains { $0.summary.contender == ExternalBaseline.copy } }
  }
}

extension RunAnalysis {
  /// The run as JSON for other programs. Unknown values are null; names and units are those of summary.csv.
  public func json(_ context: ReportContext = ReportContext()) throws -> String {
    let dropped = droppedSamples.map { ($0.key.rawValue, $0.value) }
    return try JSONText.of(
      [
        "run": run, "reference": reference, "environment": context.environment,
        "headline": headline.joined(separator: " "), "answer": answer(context),
        "samples": sampleCount, "dropped": Dictionary(uniqueKeysWithValues: dropped),
        "generations": generations, "fewest_pairs": Looks.fewestValues,
        "equivalence_margin": equivalenceMargin, "most_disturbed_share": mostDisturbedShare,
        "missing": missing, "scenarios": scenarios, "growth": growth,
      ] as JSONObject)
  }
}

extension CellKey: JSONEncodable {
  /// The names as JSON. The machine is left out if the run has only one.
  public var jsonObject: JSONObject { ["contender": contender, "scenario": scenario, "machine": machine] }
}

extension ScenarioReport: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "name": name, "machine": place.machine, "ends_with": end.rawValue, "rounds": rounds,
      "disturbed_rounds": disturbance.disturbedRounds, "noisy": disturbance.isNoisy, "cells": cells,
    ]
  }
}

extension CellReport: JSONEncodable {
  /// The columns of summary.csv, and values that have no column there.
  public var jsonObject: JSONObject {
    summary.jsonObject + [
      "cold_ns": coldNanoseconds.rounded,
      "interval_level": (comparison?.interval).map { _ in Comparison.level }.rounded,
      "adjusted_p_value": (comparison?.adjustedPValue).rounded,
      "adjusted_equivalence_p_value": (comparison?.adjustedEquivalencePValue).rounded,
      "pairs": (comparison?.pairs).orNull, "reasons": reasons,
    ]
  }
}

extension GrowthReport: JSONEncodable {
  /// The rows of growth.csv and the sentences about them.
  public var jsonObject: JSONObject {
    ["sentences": sentences, "records": records.map(\.jsonObject)]
  }
}
