import Foundation
import Results

@testable import FanoutCommand

/// A folder of one test's own that holds recorded runs, removed at its end.
final class RecordedFolder {
  private let scratch: Scratch
  var path: String { scratch.folder.path }

  init() throws { scratch = try Scratch() }

  /// - Parameter ratio: of every contender's time to the floor's.
  static func samples(
    contenders: [String] = ["floor", "a", "b"],
    scenarios: [String] = ["publish-instant-1", "publish-instant-100"],
    ratio: Double = 2, changing change: (inout Sample) -> Void = { _ in }
  ) -> [Sample] {
    var samples: [Sample] = scenarios.flatMap { scenario in
      (0..<4).flatMap { generation in
        (0..<3).flatMap { round in
          contenders.enumerated().map { position, contender in
            // A little from generation to generation, the same in every run.
            let wall =
              (contender == "floor" ? 1 : ratio) * (1_000_000 + Double(generation * position * 1_000))
            return Sample {
              $0.run = "r"
              $0.generation = generation
              $0.round = round
              $0.position = position
              $0.contender = contender
              $0.scenario = scenario
              $0.pattern = "publish"
              $0.service = "instant"
              $0.fanOut = 1
              $0.payloadBytes = 65_536
              $0.iterations = 10
              $0.outcome = .measured
              $0.wallNanoseconds = Int(wall)
              $0.allocations = generation < 2 ? 120 : nil
            }
          }
        }
      }
    }
    for index in samples.indices { change(&samples[index]) }
    return samples
  }

  static func environment(_ change: (inout EnvironmentRecord) -> Void = { _ in }) -> EnvironmentRecord {
    var record = EnvironmentRecord {
      $0.run = "r"
      $0.commandLine = ["bench", "run"]
      $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
      $0.finishedAt = Date(timeIntervalSince1970: 1_700_000_060)
      $0.seed = 1
      $0.reference = "floor"
      $0.generations = 4
      $0.buildConfiguration = "release"
      $0.commit = "0123456789abcdef"
      $0.isDirty = false
    }
    change(&record)
    return record
  }

  /// Records a run and returns its path.
  @discardableResult
  func record(
    _ name: String, _ samples: [Sample] = RecordedFolder.samples(),
    environment: EnvironmentRecord = RecordedFolder.environment()
  ) throws -> String {
    let directory = try RunDirectory.create(name: name, in: path)
    let writer = try directory.begin(environment)
    for sample in samples { try writer.append(sample) }
    try writer.close()
    return directory.path
  }

  /// Changes the text of a run's samples.csv.
  func edit(_ run: String, _ change: (inout [String]) -> Void) throws {
    let file = URL(fileURLWithPath: run + "/samples.csv")
    var lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    change(&lines)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  /// Every file below, with its bytes.
  func contents() throws -> [String: Data] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: path)
    return Dictionary(
      uniqueKeysWithValues: files.compactMap { name in
        FileManager.default.contents(atPath: path + "/" + name).map { (name, $0) }
      })
  }
}
