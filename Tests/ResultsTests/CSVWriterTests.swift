import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CSVWriterTests {
  @Test func `every row is on disk before append returns`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/samples.csv"
    let writer = try CSVWriter<Sample>(creating: path)
    #expect(try contents(path) == Sample.columns.map(\.name).joined(separator: ",") + "\n")
    for round in 0..<3 {
      try writer.append(makeSample(round: round))
      // No close and no flush: what a kill would leave behind is complete.
      #expect(try CSVReader<Sample>(path).rest().map(\.round) == Array(0...round))
    }
  }

  @Test func `a file that exists is not overwritten`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("precious", to: "samples.csv")
    #expect(throws: ResultsError.exists(path: path, option: "--output")) {
      try CSVWriter<Sample>(creating: path)
    }
    #expect(throws: ResultsError.exists(path: path, option: "--record")) {
      try CSVWriter<DuetRound>(creating: path)
    }
    #expect(try contents(path) == "precious")
  }

  @Test func `rows of several threads stay whole`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/samples.csv"
    let writer = try CSVWriter<Sample>(creating: path)
    DispatchQueue.concurrentPerform(iterations: 200) { try? writer.append(makeSample(round: $0)) }
    #expect(try Set(CSVReader<Sample>(path).rest().map(\.round)) == Set(0..<200))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full disk is reported with path and reason`() throws {
    // /dev/full takes every open and refuses every write, but not O_EXCL: go below the writer's constructor.
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    #expect(throws: ResultsError.cannotWrite(path: "x.csv", reason: "No space left on device")) {
      try POSIXFile.writeAll([1], to: descriptor, path: "x.csv")
    }
  }

  @Test func `a row cut short by a size limit is removed`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path + "/samples.csv"
      let writer = try CSVWriter<Sample>(creating: path)
      try writer.append(makeSample())
      let whole = try contents(path)
      try FileSizeLimit.with(bytes: whole.utf8.count + 10) {
        let error = #expect(throws: ResultsError.self) { try writer.append(makeSample(round: 1)) }
        try #require(error == .cannotWrite(path: path, reason: "File too large"))
      }
      try #require(contents(path) == whole)
      try writer.append(makeSample(round: 2))
      try #require(CSVReader<Sample>(path).rest().map(\.round) == [0, 2])
    }
  }

  #if compiler(>=6.3)
    @Test func `a killed process leaves every appended row`() async throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/samples.csv"
      let rows = 500
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, rows = rows as Int] in
        let writer = try CSVWriter<Sample>(creating: path)
        for round in 0..<rows { try writer.append(makeSample(round: round)) }
        // Neither deinit nor exit handlers run.
        kill(getpid(), SIGKILL)
        while true { pause() }
      }
      let reader = try CSVReader<Sample>(path)
      #expect(try reader.rest().map(\.round) == Array(0..<rows))
    }
  #endif

  @Test func `nothing is appended after close`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/samples.csv"
    let writer = try CSVWriter<Sample>(creating: path)
    try writer.close()
    try writer.close()
    #expect(throws: ResultsError.cannotWrite(path: path, reason: "it was closed before")) {
      try writer.append(makeSample())
    }
  }

  @Test(arguments: [
    (makeSample(contender: "=cmd"), "contender"), (makeSample(run: "latest"), "run"),
    (makeSample(wallNanoseconds: -1), "wall_ns"), (makeSample(wallNanoseconds: nil), "the row:"),
    (makeSample(wallNanoseconds: 0), "the row:"), (makeSample(outcome: .failed), "the row:"),
  ])
  func `a row that the reader would refuse is not written`(sample: Sample, column: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/samples.csv"
    let writer = try CSVWriter<Sample>(creating: path)
    let error = #expect(throws: ResultsError.self) { try writer.append(sample) }
    guard case .refused(column, _) = error else {
      Issue.record("\(String(describing: error)) does not name \(column)")
      return
    }
    #expect(try CSVReader<Sample>(path).rest().isEmpty)
  }

  @Test func `free text is neutralised`() throws {
    let line = try makeSample(outcome: .failed, reason: "=HYPERLINK(\"x\")\nsecond, line").csvLine()
    #expect(line.contains("\"'=HYPERLINK(\"\"x\"\") second, line\""))
    #expect(line.count { $0 == "\n" } == 1)
  }
}
