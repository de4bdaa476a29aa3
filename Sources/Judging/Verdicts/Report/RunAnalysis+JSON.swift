import Results
import Statistics

extension RunAnalysis {
  /// The whole analysis for other programs: unknown values as null, names and units of summary.csv.
  public func json(_ context: ReportContext = ReportContext()) throws -> String {
    try JSONText.of(RunDocument(analysis: self, context: context))
  }
}

private struct RunDocument: Encodable {
  let analysis: RunAnalysis
  let context: ReportContext

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    let dropped = analysis.droppedSamples.map { ($0.key.rawValue, $0.value) }
    try object.encode(analysis.run, forKey: "run")
    try object.encode(analysis.reference, forKey: "reference")
    try object.encodeIfPresent(context.environment, forKey: "environment")
    try object.encode(analysis.headline.joined(separator: " "), forKey: "headline")
    try object.encode(analysis.answer(context), forKey: "answer")
    try object.encode(analysis.sampleCount, forKey: "samples")
    try object.encode(Dictionary(uniqueKeysWithValues: dropped), forKey: "dropped")
    try object.encode(analysis.generations, forKey: "generations")
    try object.encode(Looks.fewestValues, forKey: "fewest_pairs")
    try object.encode(analysis.equivalenceMargin, forKey: "equivalence_margin")
    try object.encode(analysis.mostDisturbedShare, forKey: "most_disturbed_share")
    try object.encodeIfPresent(context.truncatedLine, forKey: "truncated_line")
    try object.encode(analysis.missing, forKey: "missing")
    try object.encode(analysis.scenarios, forKey: "scenarios")
    try object.encode(analysis.growth, forKey: "growth")
  }
}

extension CellKey: Encodable {
  /// A machine is left out where there is only one.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(contender, forKey: "contender")
    try object.encode(scenario, forKey: "scenario")
    try object.encodeIfPresent(machine, forKey: "machine")
  }
}

extension ScenarioReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(name, forKey: "name")
    try object.encodeIfPresent(place.machine, forKey: "machine")
    try object.encode(end.rawValue, forKey: "ends_with")
    try object.encode(rounds, forKey: "rounds")
    try object.encode(disturbance.disturbedRounds, forKey: "disturbed_rounds")
    try object.encode(disturbance.isNoisy, forKey: "noisy")
    try object.encode(cells, forKey: "cells")
  }
}

extension CellReport: Encodable {
  /// The columns of summary.csv, and what that file has no column for.
  public func encode(to encoder: any Encoder) throws {
    try JSONRow(summary).encode(to: encoder)
    var object = encoder.container(keyedBy: JSONKey.self)
    let numbers = [
      "cold_ns": coldNanoseconds, "interval_level": comparison?.interval.map { _ in Comparison.level },
      "adjusted_p_value": comparison?.adjustedPValue,
      "adjusted_equivalence_p_value": comparison?.adjustedEquivalencePValue,
    ]
    for (name, value) in numbers {
      try object.encode(value.map(ColumnValue.init(rounding:)), forKey: JSONKey(name))
    }
    try object.encode(comparison?.pairs, forKey: "pairs")
    try object.encode(reasons, forKey: "reasons")
  }
}

extension GrowthReport: Encodable {
  /// growth.csv and crossovers.csv, and what they amount to.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(sentences, forKey: "sentences")
    try object.encode(records.map(JSONRow.init), forKey: "records")
    try object.encode(crossovers.map(JSONRow.init), forKey: "crossovers")
  }
}
