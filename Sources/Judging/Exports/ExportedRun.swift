import Verdicts
import Foundation
import Results

/// What of a recorded run other tools get to see: the samples that count, and nothing else.
public struct ExportedRun: Sendable {
  public let run: String
  public let environment: EnvironmentRecord
  /// What ratios are taken against.
  public let reference: String
  /// Those with a sample that counts, scenario by scenario, in the order of the report.
  public let cells: [ExportedCell]
  /// What is not among them, and why: a sentence each.
  public let leftOut: [String]

  /// - Parameter samples: those that were analysed.
  public init(
    _ analysis: RunAnalysis, samples: [Sample], environment: EnvironmentRecord,
    choosing isChosen: (CellKey) -> Bool = { _ in true }
  ) {
    run = analysis.run
    reference = analysis.reference
    self.environment = environment
    let machines = Set(analysis.scenarios.map(\.place.machine))
    func key(_ contender: String, _ scenario: String, _ machine: String?) -> CellKey {
      CellKey(contender: contender, scenario: scenario, machine: machines.count > 1 ? machine : nil)
    }
    let taken = samples.grouped { key($0.contender, $0.scenario, $0.machine) }
    let chosen = analysis.scenarios.map { scenario in
      scenario.cells.compactMap { cell -> ExportedCell? in
        let key = key(cell.summary.contender, scenario.name, scenario.place.machine)
        return isChosen(key) ? ExportedCell(scenario, cell, samples: taken[key] ?? []) : nil
      }
    }
    let all = chosen.flatMap(\.self)
    cells = all.filter { !$0.samples.isEmpty }
    leftOut =
      [Self.dropped(all)].compactMap(\.self) + all.compactMap(\.absence)
      + Self.notMeasured(analysis.missing.filter(isChosen))
      + Self.disturbed(analysis, among: cells)
  }

  /// What is recorded of the machine of a cell: of a merged run, by the part that measured it.
  func environment(of cell: ExportedCell) -> EnvironmentRecord {
    environment.parts?.first { $0.machine == cell.place.machine } ?? environment
  }

  /// Whose ratio has no interval, in a sentence for formats that take ratios.
  var remarksOnRatios: [String] {
    let cells = cells.filter {
      $0.ratio == nil && $0.contender != reference && !ExternalBaseline.contains($0.contender)
    }
    let names = cells.map(\.place).unique().map { place in
      let contenders = cells.filter { $0.place == place }.map(\.contender)
      return (contenders.count > 3 ? "\(contenders.count) contenders" : contenders.joined(separator: ", "))
        + " on \(place)"
    }
    return cells.isEmpty
      ? [] : ["no ratio to \(reference) where the run decides nothing: " + names.joined(separator: "; ")]
  }

  private static func dropped(_ cells: [ExportedCell]) -> String? {
    let (warmUp, disturbed) = (cells.map(\.warmUp).reduce(0, +), cells.map(\.disturbed).reduce(0, +))
    guard warmUp + disturbed > 0 else { return nil }
    let total = Plural.counted(cells.map(\.taken).reduce(0, +), "sample")
    return "left out of \(total): \(warmUp) warm-up, \(disturbed) disturbed"
  }

  private static func notMeasured(_ missing: [CellKey]) -> [String] {
    missing.isEmpty ? [] : ["not measured: " + missing.map(\.description).joined(separator: ", ")]
  }

  /// Its numbers are true, but a third of the rounds or more is not among them.
  private static func disturbed(_ analysis: RunAnalysis, among cells: [ExportedCell]) -> [String] {
    let exported = Set(cells.map(\.place))
    let places = analysis.scenarios.filter { $0.disturbance.isNoisy && exported.contains($0.place) }
      .map(\.place.description)
    return places.isEmpty
      ? []
      : [
        "noisy, and only their undisturbed rounds are exported: "
          + places.joined(separator: ", ")
      ]
  }
}

/// Numbers as exports write them.
enum ExportedNumber {
  static func seconds(_ nanoseconds: some BinaryInteger) -> Double { Double(nanoseconds) / 1e9 }

  /// In at most six significant digits: no statistic has more to say.
  static func rounded(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
}
