import Foundation
import Results

/// The contenders that another run measured, read from its answer.json: libraries that people use, or code from articles.
public struct OtherRun: Sendable, Equatable {
  let name: String
  let place: String
  /// The names of the scenarios in which the other run compared its contenders.
  let scenarios: [String]
  fileprivate let contenders: [Recorded.Contender]
  fileprivate let shipper: String

  /// The recorded runs `NAME-rivals` and `NAME-textbook` beside the run `NAME`. Runs whose answer.json has another version are left out.
  public static func all(beside path: String) -> [OtherRun] {
    let folder = URL(filePath: path).resolvingSymlinksInPath().path
    return [("-rivals", "third party"), ("-textbook", "textbook")].compactMap { ending, shipper in
      OtherRun(folder + ending, shipper)
    }
  }

  private init?(_ folder: String, _ shipper: String) {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(RunDirectory.answerName)"),
      let answer = try? JSONDecoder().decode(Recorded.self, from: data), answer.version == Answer.version
    else { return nil }
    (name, self.shipper) = (URL(filePath: folder).lastPathComponent, shipper)
    (place, scenarios) = (answer.place, answer.classes.flatMap(\.names))
    contenders = answer.contenders.filter { $0.run == nil }
  }

  /// Rows for contenders that are not in `own`. Times of two runs are not comparable, so libraries get a row of async/await of their run.
  func rows(of columns: [Answer.Column], besides own: [Answer.Row]) -> [Answer.Row] {
    let others = contenders.filter { other in
      other.shipper == shipper && !own.contains { $0.contender == other.name }
    }
    let isLibrary = shipper == "third party" && own.contains { $0.contender == Answer.asked }
    let anchors = contenders.filter { isLibrary && $0.name == Answer.asked }
    return others.isEmpty
      ? []
      : (anchors + others).map { other in
        let isAnchor = other.name == Answer.asked
        return Answer.Row(
          contender: other.name, title: other.title,
          idiom: IdiomRecord(
            name: isAnchor ? "in that run's jobs" : other.idiom, shipsWith: shipper, breaks: other.breaks),
          lines: other.lines, costs: columns.compactMap { other.costs[$0.workClass] }, run: name)
      }
  }
}

/// The part of an answer.json that is read.
private struct Recorded: Decodable, Sendable {
  let version: Int
  let place: String
  let classes: [Column]
  let contenders: [Contender]

  struct Column: Decodable {
    let names: [String]

    enum CodingKeys: String, CodingKey { case names = "scenario_names" }
  }

  struct Contender: Decodable, Sendable, Equatable {
    let name: String
    let title: String
    let idiom: String
    let shipper: String?
    let run: String?
    let lines: Int?
    let breaks: [String]?
    /// The costs by class of work. A class that the other run did not measure has empty costs.
    let costs: [ScenarioClass: Answer.Cost]

    init(from decoder: any Decoder) throws {
      let content = try decoder.container(keyedBy: JSONKey.self)
      func value<Value: Decodable>(_ key: String) throws -> Value? {
        try content.decodeIfPresent(Value.self, forKey: JSONKey(key))
      }
      let group: String? = try value("group")
      name = try value("contender") ?? ""
      title = try value("title") ?? name
      idiom = try value("is") ?? name
      shipper = IdiomRecord.groups.first { group == $0.title }?.shipsWith
      (run, lines, breaks) = (try value("run"), try value("lines"), try value("breaks"))
      costs = try ScenarioClass.columns.reduce(into: [:]) { costs, workClass in
        let cost: Cost? = try value(workClass.rawValue)
        costs[workClass] = (cost ?? Cost(failed: 0, measured: 0, beside: [:])).cost
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
        apart: range(least, most), jobs: [])
    }
  }
}
