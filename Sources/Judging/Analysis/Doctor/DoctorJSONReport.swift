import Foundation
import Results

/// What the doctor says, for other programs: sorted keys, what is not visible left out.
public enum DoctorJSONReport {
  public static func text(_ report: DoctorReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(Document(report)), as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
  let headline: String
  let resolvesUsualMargin: Bool
  let buildConfiguration: String
  let seconds: Double
  let method: String
  let modes: [Mode]
  let findings: [Finding]
  let machine: MachineRecord
  let harnessOverheadNanoseconds: Double
  let shortestPost: ShortestPost?

  struct Mode: Encodable {
    let mode: String
    let usualMargin: Double
    let usualSeconds: Double?
    let margins: [Margin]
    let spreads: [Spread]

    enum CodingKeys: String, CodingKey {
      case mode, margins, spreads
      case usualMargin = "usual_margin"
      case usualSeconds = "usual_seconds"
    }
  }

  struct Margin: Encodable {
    let seconds: Double
    let margin: Double?
  }

  struct Spread: Encodable {
    let contender: String
    let pairs: Int
    let emptyPairs: Int
    let deviation: Double?
    let pairNanoseconds: Double?

    enum CodingKeys: String, CodingKey {
      case contender, pairs, deviation
      case emptyPairs = "empty_pairs"
      case pairNanoseconds = "pair_ns"
    }
  }

  struct ShortestPost: Encodable {
    let scenario: String
    let nanoseconds: Double

    enum CodingKeys: String, CodingKey {
      case scenario
      case nanoseconds = "wall_ns"
    }
  }

  enum CodingKeys: String, CodingKey {
    case headline, seconds, method, modes, findings, machine
    case resolvesUsualMargin = "resolves_usual_margin"
    case buildConfiguration = "build_configuration"
    case harnessOverheadNanoseconds = "harness_overhead_ns"
    case shortestPost = "shortest_post"
  }

  init(_ report: DoctorReport) {
    let readings = report.readings
    headline = report.headline
    resolvesUsualMargin = report.resolvesUsualMargin
    buildConfiguration = readings.isReleaseBuild ? "release" : "debug"
    seconds = readings.seconds
    method = report.method
    findings = report.findings
    machine = readings.machine
    harnessOverheadNanoseconds = readings.harnessOverheadNanoseconds
    shortestPost = readings.shortestPost.map {
      ShortestPost(scenario: $0.scenario, nanoseconds: $0.nanoseconds)
    }
    modes = readings.modes.map { mode in
      Mode(
        mode: mode.mode.rawValue, usualMargin: mode.terms.usualMargin,
        usualSeconds: mode.resolution?.usualSeconds,
        margins: mode.resolution?.smallest.map { Margin(seconds: $0.seconds, margin: $0.margin) } ?? [],
        spreads: mode.spreads.map {
          Spread(
            contender: $0.contender, pairs: $0.logRatios.count, emptyPairs: $0.emptyPairs,
            deviation: $0.deviation, pairNanoseconds: $0.pairNanoseconds)
        })
    }
  }
}
