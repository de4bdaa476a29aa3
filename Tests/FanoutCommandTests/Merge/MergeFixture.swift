import Foundation
import Results

@testable import FanoutCommand

/// Runs of one build on machines that differ in nothing but their speed.
enum MergeFixture {
  static let scenarios = ["publish-instant-1", "publish-instant-100"]

  static func samples(_ scenarios: [String] = scenarios, speed: Double = 1, ratio: Double = 2) -> [Sample] {
    RecordedFolder.samples(scenarios: scenarios, ratio: ratio) {
      $0.wallNanoseconds = $0.wallNanoseconds.map { Int(Double($0) / speed) }
    }
  }

  static func environment(
    _ machine: String?, _ scenarios: [String] = scenarios, shard: (Int, [[String]])? = nil,
    _ change: (inout EnvironmentRecord) -> Void = { _ in }
  ) -> EnvironmentRecord {
    RecordedFolder.environment {
      $0.machine = machine
      $0.toolchain = "Swift 6.3.1"
      ($0.cpuModel, $0.coreCount) = ("Example CPU", 2)
      $0.shard = shard.map { ShardRecord(number: $0.0, count: $0.1.count, scenarios: $0.1) }
      $0.scenarios = Dictionary(
        uniqueKeysWithValues: scenarios.map {
          (
            $0,
            ScenarioRecord(
              definition: ["fanOut": "1", "order": "shuffled"], contenders: ["floor", "a", "b"])
          )
        })
      change(&$0)
    }
  }

  static func part(
    _ path: String, _ machine: String?, _ scenarios: [String] = scenarios, shard: (Int, [[String]])? = nil,
    samples: [Sample]? = nil, change: (inout EnvironmentRecord) -> Void = { _ in }
  ) -> MergePart {
    MergePart(
      path: path, environment: environment(machine, scenarios, shard: shard, change),
      samples: samples ?? Self.samples(scenarios))
  }
}
