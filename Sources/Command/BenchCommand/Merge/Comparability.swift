import Analysis
import Foundation
import Results

/// What forbids that runs are put together: they would be taken for one measurement, and are several.
enum Comparability {
  /// Throws a usage error that names the file and the values that differ.
  static func check(_ parts: [MergePart]) throws {
    guard let first = parts.first else { return }
    for part in parts.dropFirst() {
      for (name, value) in facts {
        let (there, here) = (value(first.environment), value(part.environment))
        guard there != here else { continue }
        throw UsageError(
          "\(part.environmentPath): \(name) is \(text(here)), but \(text(there)) in \(first.environmentPath). Only runs that are alike in it are merged: leave one out, or record it again."
        )
      }
    }
    try checkScenarios(parts)
    try checkRepetition(parts)
  }

  /// What must be the same in all, as environment.json calls it.
  private static let facts: [(String, @Sendable (EnvironmentRecord) -> String?)] = [
    ("seed", { "\($0.seed)" }), ("build_configuration", { $0.buildConfiguration }), ("commit", { $0.commit }),
    ("dirty", { $0.isDirty.map { "\($0)" } }), ("toolchain", { $0.toolchain }),
    ("reference", { $0.reference }), ("the note drop_rule", { $0.notes["drop_rule"] }),
  ]

  private static func text(_ value: String?) -> String { value.map { SafeText.excerpt($0) } ?? "unknown" }

  /// One name, one scenario.
  private static func checkScenarios(_ parts: [MergePart]) throws {
    var known: [String: (path: String, definition: [String: String])] = [:]
    for part in parts {
      for (name, scenario) in (part.environment.scenarios ?? [:]).sorted(by: { $0.key < $1.key })
      where !scenario.definition.isEmpty {
        if let (path, definition) = known[name] {
          try compare(name, definition, path, scenario.definition, part.environmentPath)
        } else {
          known[name] = (part.environmentPath, scenario.definition)
        }
      }
    }
    var columns: [String: (path: String, values: [String: String])] = [:]
    for part in parts {
      let path = "\(part.path)/\(RunDirectory.samplesName)"
      for sample in part.samples {
        let values = [
          "pattern": sample.pattern, "service": sample.service, "fan_out": "\(sample.fanOut)",
          "in_flight_limit": sample.inFlightLimit.map { "\($0)" } ?? "none",
          "payload_bytes": "\(sample.payloadBytes)",
        ]
        if let (other, expected) = columns[sample.scenario] {
          try compare(sample.scenario, expected, other, values, path)
        } else {
          columns[sample.scenario] = (path, values)
        }
      }
    }
  }

  private static func compare(
    _ name: String, _ a: [String: String], _ pathA: String, _ b: [String: String], _ pathB: String
  ) throws {
    guard a != b, let key = Set(a.keys).union(b.keys).sorted().first(where: { a[$0] != b[$0] }) else {
      return
    }
    throw UsageError(
      "\(pathB): the scenario \(SafeText.excerpt(name)) has \(SafeText.excerpt(key)) \(text(b[key])), but \(text(a[key])) in \(pathA): that is another scenario of the same name, and nothing is merged."
    )
  }

  /// On a machine a scenario comes of one run: what it measured at another time is another measurement.
  private static func checkRepetition(_ parts: [MergePart]) throws {
    for (index, part) in parts.enumerated() {
      for other in parts[..<index] {
        if let (run, shard) = part.shards.first(where: { mine in
          other.shards.contains { $0.machine == mine.machine && $0.shard == mine.shard }
        }) {
          throw UsageError(
            "shard \(shard) of machine \(run) is in both \(other.path) and \(part.path): leave one out.")
        }
        let common = part.places.intersection(other.places)
        guard let place = common.min(by: { "\($0)" < "\($1)" }) else { continue }
        throw UsageError(
          "\(place.scenario) of machine \(place.machine ?? "unknown") is in both \(other.path) and \(part.path)\(common.count > 1 ? ", and \(common.count - 1) more" : ""): leave one out. If these are two machines, record each with a --machine of its own."
        )
      }
    }
  }
}

extension MergePart {
  fileprivate var shards: [(machine: String, shard: ShardRecord)] {
    runs.compactMap { run in run.shard.map { (run.machine ?? "unknown", $0) } }
  }
}
