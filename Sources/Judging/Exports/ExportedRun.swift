import Foundation
import Results
import Verdicts

/// The part of a recorded run that is exported to other tools: the samples that statistics include.
public struct ExportedRun: Sendable {
  public let run: String
  public let environment: EnvironmentRecord
  /// The contenders with samples in each scenario, in the order of the report.
  public let cells: [ExportedCell]
  /// Sentences that say what is not exported and why.
  public let leftOut: [String]

  /// - Parameter isChosen: returns whether to export a contender in a scenario.
  public init(
    _ analysis: RunAnalysis, samples: [Sample], environment: EnvironmentRecord,
    choosing isChosen: (CellKey) -> Bool = { _ in true }
  ) {
    run = analysis.run
    self.environment = environment
    let areSeveral = Set(analysis.scenarios.map(\.place.machine)).count > 1
    let taken = samples.grouped {
      CellKey(contender: $0.contender, scenario: $0.scenario, machine: areSeveral ? $0.machine : nil)
    }
    let all = analysis.scenarios.flatMap { scenario in
      scenario.cells.compactMap { cell -> ExportedCell? in
        let key = CellKey(contender: cell.summary.contender, place: scenario.place)
        return isChosen(key) ? ExportedCell(scenario, cell, samples: taken[key] ?? []) : nil
      }
    }
    cells = all.filter { !$0.samples.isEmpty }
    leftOut =
      [Self.dropped(all)].compactMap(\.self) + all.compactMap(\.absence)
      + Self.notMeasured(analysis.missing.filter(isChosen)) + Self.disturbed(analysis, among: cells)
  }

  /// The record of the machine that took the samples. Each part of a merged run has its own record.
  func environment(of cell: ExportedCell) -> EnvironmentRecord {
    environment.parts?.first { $0.machine == cell.place.machine } ?? environment
  }

  var remarksOnRatios: [String] {
    let cells = cells.filter {
      $0.ratio == nil && $0.contender != $0.summary.reference && !ExternalBaseline.contains($0.contender)
    }
    let names = cells.inGroups(by: \.place).map { cells in
      (cells.count > 3 ? "\(cells.count) contenders" : cells.map(\.contender).joined(separator: ", "))
        + " on \(cells[0].place)"
    }
    return cells.isEmpty
      ? [] : ["no ratio to the reference, because the run is undecided: " + names.joined(separator: "; ")]
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

  /// A sentence that names the noisy scenarios, of which only the undisturbed samples are exported.
  private static func disturbed(_ analysis: RunAnalysis, among cells: [ExportedCell]) -> [String] {
    let exported = Set(cells.map(\.place))
    let places = analysis.scenarios.filter { $0.disturbance.isNoisy && exported.contains($0.place) }
      .map(\.place.description)
    return places.isEmpty
      ? []
      : [
        "only undisturbed rounds are exported of these noisy scenarios: " + places.joined(separator: ", ")
      ]
  }
}

enum ExportedNumber {
  static func seconds(_ nanoseconds: some BinaryInteger) -> Double { Double(nanoseconds) / 1e9 }

  static func rounded(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
}

/// A contender in a scenario, with its samples that were measured and not dropped.
public struct ExportedCell: Sendable {
  /// The scenario, and the machine if the run was merged from several machines.
  public let place: ScenarioKey
  /// The row of summary.csv.
  public let summary: CellSummary
  /// The samples in the order they were taken, each with a time; empty if the contender failed, timed out or was wrong.
  public let samples: [Sample]
  let taken: Int
  let warmUp: Int
  let disturbed: Int
  /// Why no sample is exported, as a sentence; `nil` if at least one is.
  let absence: String?

  init(_ scenario: ScenarioReport, _ cell: CellReport, samples: [Sample]) {
    place = scenario.place
    summary = cell.summary
    let counted = samples.filter {
      $0.outcome == .measured && $0.dropped == nil && ($0.wallNanoseconds ?? 0) > 0
    }
    self.samples = cell.summary.outcome == .measured ? counted : []
    taken = samples.count
    warmUp = samples.count { $0.dropped == .warmUp }
    disturbed = samples.count { $0.dropped == .disturbed }
    absence =
      self.samples.isEmpty
      ? "\(cell.summary.contender) on \(scenario.place) is not exported: "
        + (cell.explanation ?? "no sample has a time") : nil
  }

  public var contender: String { summary.contender }

  /// The wall times in nanoseconds per job, in the order of measurement.
  var wallNanoseconds: [Int] { samples.compactMap(\.wallNanoseconds) }

  /// The paired ratio to the reference and its interval; `nil` for the reference itself, and if there is no interval.
  var ratio: (value: Double, low: Double, high: Double)? {
    guard summary.verdict != nil, let ratio = summary.ratio, let low = summary.ratioLow,
      let high = summary.ratioHigh
    else { return nil }
    return (ratio, low, high)
  }

  /// The benchmark's name in formats without keys: `scenario/contender/n=uploads`. A slash in the scenario becomes `~`, for unique names.
  var path: String {
    let machine = place.machine.map { "@\($0)" } ?? ""
    return "\(place.scenario)\(machine)".replacing("/", with: "~") + "/\(contender)/n=\(summary.fanOut)"
  }

  /// Groups the samples by worker process and by the value of `other`. Each group keeps the order of measurement.
  func samplesByProcess(and other: (Sample) -> Int = { _ in 0 }) -> [[Sample]] {
    samples.inGroups { [$0.run, $0.machine ?? "", String($0.generation), String(other($0))] }
  }

  /// The count of each sample divided by the sample's jobs. Samples without the count are left out.
  func perPost(_ count: (Sample) -> Int?) -> [Double] { samples.compactMap { $0.perPost(count($0)) } }
}

/// A measured quantity, such as time, that some formats export per job.
struct ExportedQuantity: Sendable {
  let name: String
  let unit: String
  /// Whether the quantity is a count, which may be equal in all samples.
  var isCount = false
  let value: @Sendable (Sample) -> Double?

  static let all: [ExportedQuantity] = [
    ExportedQuantity(name: "time", unit: "ns/op") { $0.wallNanoseconds.map(Double.init) },
    ExportedQuantity(name: "processor-time", unit: "cpu-ns/op") { $0.cpuNanoseconds },
    ExportedQuantity(name: "allocations", unit: "allocs/op", isCount: true) { $0.perPost($0.allocations) },
    ExportedQuantity(name: "allocated-bytes", unit: "B/op", isCount: true) {
      $0.perPost($0.allocatedBytes)
    },
    ExportedQuantity(name: "retains", unit: "retains/op", isCount: true) { $0.perPost($0.retains) },
    ExportedQuantity(name: "context-switches", unit: "ctxsw/op") { $0.switches },
  ]
}
