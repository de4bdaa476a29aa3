import Results
import Statistics

extension RunAnalysis {
  /// The whole analysis for other programs: unknown values as null, names and units of summary.csv.
  public func json(_ context: ReportContext = ReportContext()) throws -> String {
    let dropped = droppedSamples.map { ($0.key.rawValue, $0.value) }
    return try JSONText.of(
      [
        "run": run, "reference": reference, "environment": context.environment,
        "headline": headline.joined(separator: " "), "answer": answer(context).orNull,
        "samples": sampleCount, "dropped": Dictionary(uniqueKeysWithValues: dropped),
        "generations": generations, "fewest_pairs": Looks.fewestValues,
        "equivalence_margin": equivalenceMargin, "most_disturbed_share": mostDisturbedShare,
        "missing": missing, "scenarios": scenarios, "growth": growth,
      ] as JSONObject)
  }
}

extension CellKey: JSONEncodable {
  /// A machine is left out where there is only one.
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
  /// The columns of summary.csv, and what that file has no column for.
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
  /// growth.csv and crossovers.csv, and what they amount to.
  public var jsonObject: JSONObject {
    [
      "sentences": sentences, "records": records.map(\.jsonObject),
      "crossovers": crossovers.map(\.jsonObject),
    ]
  }
}
