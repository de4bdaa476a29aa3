import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct EnvironmentRecordTests {
  private let record = EnvironmentRecord {
    $0.run = "r1"
    $0.commandLine = ["bench", "run", "--seed", "7"]
    $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
    ($0.seed, $0.buildConfiguration, $0.isDirty, $0.coreCount) = (7, "release", false, 2)
    $0.harnessOverheadNanoseconds = 12.5
    $0.droppedSamples = ["warm_up": 3]
    $0.warnings = ["no steal counter"]
    $0.notes = ["governor": "unknown"]
  }

  /// Of an even number of generations it is the mean of the two in the middle.
  @Test func `a hand-over is the median of the generations`() {
    #expect(record.handOver == nil)
    let some = EnvironmentRecord {
      $0.handOvers = [(4, 9.0), (2, 6), (24, 7), (3, 8)].map {
        HandOverRecord(medianNanoseconds: $0, p90Nanoseconds: $1)
      }
    }
    #expect(some.handOver == HandOverRecord(medianNanoseconds: 3.5, p90Nanoseconds: 7.5))
  }

  @Test func `the file has these keys and no unknown value`() throws {
    #expect(
      try JSONText.of(record) == """
        {
          "build_configuration" : "release",
          "command_line" : [
            "bench",
            "run",
            "--seed",
            "7"
          ],
          "core_count" : 2,
          "dirty" : false,
          "dropped_samples" : {
            "warm_up" : 3
          },
          "harness_overhead_ns" : 12.5,
          "missing_cells" : [

          ],
          "notes" : {
            "governor" : "unknown"
          },
          "run" : "r1",
          "seed" : 7,
          "started_at" : "2023-11-14T22:13:20Z",
          "warnings" : [
            "no steal counter"
          ]
        }

        """)
  }

  @Test func `a record comes back from its run directory`() throws {
    let folder = try TemporaryFolder()
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    _ = try run.begin(record)
    #expect(try run.readEnvironment() == record)
    var finished = record
    finished.finishedAt = record.startedAt.addingTimeInterval(60)
    try run.write(environment: finished)
    #expect(try run.readEnvironment() == finished)
  }

  @Test func `a shard and the parts of a merge come back`() throws {
    var part = record
    part.machine = "node-1"
    part.shard = ShardRecord(number: 1, count: 2, scenarios: [["a"], ["b", "c"]])
    part.scenarios = ["a": ScenarioRecord(definition: ["seed": "7"], contenders: ["callbacks"])]
    var merged = record
    merged.parts = [part, record]
    #expect(try EnvironmentRecord(json: Data(JSONText.of(merged).utf8)) == merged)
    let text = try JSONText.of(part)
    for key in ["\"machine\" : \"node-1\"", "\"number\" : 1", "\"count\" : 2"] { #expect(text.contains(key)) }
  }

  @Test func `a file far too large is refused unread`() throws {
    let folder = try TemporaryFolder()
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    _ = try run.begin(record)
    // Without a block on the disk.
    #expect(truncate(run.environmentPath, 1 << 30) == 0)
    let error = #expect(throws: ResultsError.self) { try run.readEnvironment() }
    #expect(error?.description.hasPrefix(run.environmentPath + ": goes on for more than 64 MiB") == true)
  }
}
