import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct EnvironmentRecordTests {
  private let folder = Scratch()
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
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    _ = try run.begin(record)
    // Without a block on the disk.
    #expect(truncate(run.environmentPath, 1 << 30) == 0)
    let error = #expect(throws: ResultsError.self) { try run.readEnvironment() }
    #expect(error?.description.hasPrefix(run.environmentPath + ": is larger than 64 MiB") == true)
  }
}

@Suite(.ownThread) struct RunDirectoryTests {
  private let folder = Scratch()
  fileprivate static let environment = EnvironmentRecord {
    ($0.run, $0.commandLine, $0.startedAt, $0.seed) = ("r1", ["bench"], Date(timeIntervalSince1970: 0), 1)
    $0.generations = 1
    $0.buildConfiguration = "release"
  }

  @Test func `a run is written and opened again`() throws {
    let output = folder.path + "/deep/results"
    let run = try RunDirectory.create(name: "r1", in: output)
    let writer = try run.begin(Self.environment)
    try writer.append(makeSample())
    try run.write([CellSummary](), as: RunDirectory.summaryName)
    try run.write("# r1\n", as: RunDirectory.markdownName)

    let opened = try RunDirectory.open(output + "/latest")
    #expect(opened.name == "r1")
    #expect(try opened.sampleReader().rest() == [makeSample()])
    #expect(try opened.readSummary().isEmpty)
    #expect(try contents(opened.path + "/summary.md") == "# r1\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path).sorted()
        == ["environment.json", "samples.csv", "summary.csv", "summary.md"])
  }

  @Test(arguments: [7, UInt64.random(in: 0...UInt64.max)])
  func `samples read in parts on several threads are those read line by line, errors included`(seed: UInt64)
    throws
  {
    var numbers = SeededNumbers(seed: seed)
    for attempt in 0..<50 {
      let run = try RunDirectory.create(name: "r\(attempt)", in: folder.path)
      try run.begin(Self.environment).close()
      var lines = try CSVText.text(
        (0..<Int.random(in: 0...60, using: &numbers)).map { place in
          makeSample(
            generation: place / 20, round: place / 2, contender: place % 2 == 0 ? "callbacks" : "futures")
        }
      ).split(separator: "\n").map(String.init)
      let edited = Int.random(in: 0..<lines.count, using: &numbers)
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0: lines.insert(lines[edited], at: lines.count)
      case 1: lines[edited] = lines[edited].replacing("publish-10", with: "publish-11")
      case 2: lines[edited] = lines[edited].replacing(",10,", with: ",11,", maxReplacements: 1)
      case 3: lines.insert("", at: edited)
      case 4: lines[edited].removeLast()
      case 5: lines[1...].shuffle(using: &numbers)
      case 6: lines[edited] += "\r"
      default: break
      }
      let isCut = Int.random(in: 0..<8, using: &numbers) == 0
      try (lines.joined(separator: "\n") + (isCut ? "" : "\n")).write(
        toFile: run.samplesPath, atomically: false, encoding: .utf8)
      func read(inPartsOf bytes: Int) -> Result<[String], ResultsError> {
        Result { () throws(ResultsError) in
          let (samples, truncatedLine) = try run.readSamples(inPartsOf: bytes)
          return ["\(truncatedLine ?? 0)"] + samples.map { "\($0)" }
        }
      }
      let parts = read(inPartsOf: .random(in: 700...3_000, using: &numbers))
      #expect(parts == read(inPartsOf: 1), "attempt \(attempt) of seed \(seed)")
    }
  }

  @Test func `growth is written where there is any`() throws {
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    _ = try run.begin(Self.environment)
    try run.write(growth: [])
    #expect(!FileManager.default.fileExists(atPath: run.path + "/growth.csv"))
    let record = makeGrowth()
    try run.write(growth: [record])
    #expect(try CSVReader<GrowthRecord>(run.path + "/growth.csv").rest() == [record])
  }

  @Test func `a run is never overwritten`() throws {
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    #expect(throws: ResultsError.exists(path: folder.path + "/.r1.partial", option: "--name")) {
      try RunDirectory.create(name: "r1", in: folder.path)
    }
    _ = try run.begin(Self.environment)
    #expect(throws: ResultsError.exists(path: folder.path + "/r1", option: "--name")) {
      try RunDirectory.create(name: "r1", in: folder.path)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["latest", "r1"])
  }

  /// A process that is killed before leaves nothing that looks like a run.
  @Test func `a folder has its name only once a run is in it`() throws {
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".r1.partial"])
    let writer = try run.begin(Self.environment)
    #expect(writer.path == folder.path + "/r1/samples.csv")
    #expect(try RunDirectory.open(folder.path + "/r1").sampleReader().rest().isEmpty)
  }

  /// As `cp` does, which ignores claims.
  @Test func `files that others put there meanwhile are left alone`() throws {
    let run = try RunDirectory.create(name: "r1", in: folder.path)
    try FileManager.default.createDirectory(atPath: run.path, withIntermediateDirectories: false)
    try folder.write("theirs", to: "r1/samples.csv")
    #expect(throws: ResultsError.self) { try run.begin(Self.environment) }
    #expect(try contents(run.samplesPath) == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["r1"])
  }

  @Test func `runs of the same second get different names`() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let names = try (0..<4).map { number in
      let run = try RunDirectory.create(in: folder.path, date: date)
      if number == 1 { _ = try run.begin(Self.environment) }
      return run.name
    }
    #expect(names == ["20231114-221320"] + (2...4).map { "20231114-221320-\($0)" })
  }

  @Test func `latest is the run that began last`() throws {
    _ = try RunDirectory.create(name: "r1", in: folder.path).begin(Self.environment)
    _ = try RunDirectory.create(name: "r2", in: folder.path)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/latest") == "r1")
  }

  // Too little for environment.json; and enough for that, but not for the header of samples.csv.
  @Test(arguments: [10, 500])
  func `a run that cannot begin leaves nothing`(bytes: Int) async throws {
    await #expect(processExitsWith: .success) { [bytes] in
      let folder = Scratch()
      let run = try RunDirectory.create(name: "r1", in: folder.path)
      try FileSizeLimit.with(bytes: bytes) {
        #expect(throws: ResultsError.self) { try run.begin(RunDirectoryTests.environment) }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func `a folder called latest is left alone`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/latest", withIntermediateDirectories: false)
    #expect(throws: ResultsError.exists(path: folder.path + "/latest", option: "--output")) {
      try RunDirectory.create(name: "r1", in: folder.path)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["latest"])
  }

  @Test(arguments: ["../r1", "latest", "", "a b"])
  func `a name that cannot be a folder's is refused`(name: String) throws {
    let error = #expect(throws: ResultsError.self) { try RunDirectory.create(name: name, in: folder.path) }
    #expect(error?.description.hasSuffix("..") == false, "\(String(describing: error))")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a run of load and a folder without samples are reported as such`() throws {
    #expect(throws: ResultsError.noRun(path: folder.path)) { try RunDirectory.open(folder.path) }
    _ = try RunDirectory.create(name: "r1", in: folder.path).beginLoad(Self.environment)
    let path = folder.path + "/r1"
    #expect(throws: ResultsError.loadRun(path: path)) { try RunDirectory.open(path) }
  }
}
