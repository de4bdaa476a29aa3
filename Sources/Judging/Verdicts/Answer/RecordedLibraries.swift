import Foundation
import Results

/// Libraries that people use, as the answer.json of another run has them: what one run did not measure.
public struct RecordedLibraries: Sendable, Equatable {
  /// The other run's name.
  let run: String
  let place: String
  /// The jobs in which it compared them.
  let scenarios: [String]
  private let rows: [(row: Answer.Row, costs: [ScenarioClass: Answer.Cost])]

  public static func == (left: RecordedLibraries, right: RecordedLibraries) -> Bool {
    (left.run, left.place, left.scenarios) == (right.run, right.place, right.scenarios)
      && left.rows.map(\.costs) == right.rows.map(\.costs)
  }

  /// What a run named `NAME-rivals` says beside one named `NAME`; nil: there is none, or it is of another version.
  public init?(beside path: String) {
    let folder = URL(filePath: path).resolvingSymlinksInPath().path + "-rivals"
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(RunDirectory.answerName)"),
      let answer = try? JSONDecoder().decode(Recorded.self, from: data), answer.version == Answer.version
    else { return nil }
    run = URL(filePath: folder).lastPathComponent
    (place, scenarios) = (answer.place, answer.classes.flatMap(\.names))
    rows = answer.contenders.filter { $0.row.idiom?.shipsWith == "third party" }.map { ($0.row, $0.costs) }
  }

  /// With a cost for each column; without what a run has of its own.
  func rows(of columns: [Answer.Column], besides own: [Answer.Row]) -> [Answer.Row] {
    rows.filter { other in !own.contains { $0.contender == other.row.contender } }.map { row, costs in
      Answer.Row(
        contender: row.contender, title: row.title, idiom: row.idiom, lines: row.lines,
        costs: columns.map { costs[$0.workClass] ?? Answer.Cost.none }, run: run)
    }
  }
}

/// What is read of an answer.json.
private struct Recorded: Decodable {
  let version: Int
  let place: String
  let classes: [Column]
  let contenders: [Contender]

  struct Column: Decodable {
    let names: [String]

    enum CodingKeys: String, CodingKey { case names = "scenario_names" }
  }

  struct Contender: Decodable {
    let row: Answer.Row
    let costs: [ScenarioClass: Answer.Cost]

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let content = try decoder.container(keyedBy: Key.self)
      func text(_ key: String) throws -> String? {
        try content.decodeIfPresent(String.self, forKey: Key(stringValue: key))
      }
      let shipper = IdiomRecord.groups.first { group in (try? text("group")) == group.title }?.shipsWith
      let name = try text("contender") ?? ""
      row = Answer.Row(
        contender: name, title: try text("title") ?? name,
        idiom: IdiomRecord(name: try text("is") ?? name, shipsWith: shipper ?? ""),
        lines: try content.decodeIfPresent(Int.self, forKey: Key(stringValue: "lines")), costs: [])
      costs = try ScenarioClass.columns.reduce(into: [:]) { costs, workClass in
        costs[workClass] = try content.decodeIfPresent(
          Cost.self, forKey: Key(stringValue: workClass.rawValue))?
          .cost
      }
    }
  }

  struct Cost: Decodable {
    let failed: Int
    let measured: Int
    let beside: [String: Means]

    struct Means: Decodable {
      let time: Mean?
      let processor: Mean?
    }

    var cost: Answer.Cost {
      Answer.Cost(
        time: beside.compactMapValues { $0.time?.mean },
        processor: beside.compactMapValues { $0.processor?.mean },
        threadSwitchesPerUpload: nil, peakThreads: nil, example: nil, failed: failed, measured: measured)
    }
  }

  struct Mean: Decodable {
    let ratio: Double
    let low: Double?
    let high: Double?
    let finding: ClassMean.Finding
    let undecided: Int
    let least: Double?
    let most: Double?

    var mean: ClassMean {
      func range(_ low: Double?, _ high: Double?) -> ClosedRange<Double>? {
        guard let low, let high, low <= high else { return nil }
        return low...high
      }
      return ClassMean(
        ratio: ratio, interval: range(low, high), scenarios: 0, undecided: undecided, finding: finding,
        apart: range(least, most))
    }
  }
}

extension Answer.Cost {
  /// Of a class in which the other run has nothing.
  fileprivate static let none = Answer.Cost(
    time: [:], processor: [:], threadSwitchesPerUpload: nil, peakThreads: nil, example: nil, failed: 0,
    measured: 0)
}
