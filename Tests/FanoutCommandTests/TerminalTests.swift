import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct TerminalTests {
  @Test func `control characters in a remark are escaped`() {
    #expect(Terminal.progressLines("left out a\u{1B}[2J\nb").hasSuffix(#": left out a\u{1B}[2J\nb"#))
  }

  @Test(
    arguments: [
      ([:], true), (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["NO_COLOR": "1"], false),
      (["NO_COLOR": ""], true),
    ] as [([String: String], Bool)])
  func `NO_COLOR and a dumb terminal turn colours off`(environment: [String: String], isPermitted: Bool) {
    #expect(Terminal.permitsColour(environment) == isPermitted)
  }

  @Test(arguments: [
    (".build/release/bench", true, "swift run -c release bench"), ("/opt/bin/bench", false, "/opt/bin/bench"),
    ("bench", false, "bench"),
  ])
  func `suggested commands work where the executable runs`(
    executable: String, isInPackage: Bool, command: String
  ) { #expect(CommandName.invocation(from: executable, isInPackage: isInPackage) == command) }
}

@Suite(.ownThread) struct ProgressBarTests {
  private func line(
    _ scenario: String = "zip", phase: String? = nil, at fraction: Double = 0.25, after seconds: Double = 10,
    showsBar: Bool = true
  ) -> String {
    let progress = RunProgress(scenario: scenario, samples: 7, phase: phase, fraction: fraction)
    return ProgressBar.line(progress, elapsedSeconds: seconds, showsBar: showsBar)
  }

  @Test func `the line says how far the run is and how long it takes`() {
    #expect(line(at: 0, after: 0) == "░░░░░░░░░░░░░░░░░░░░ 0 % · estimating · 7 samples · zip")
    #expect(line() == "█████░░░░░░░░░░░░░░░ 25 % · 30 s left · 7 samples · zip")
    #expect(line(at: 1, after: 60) == "███████████████████░ 99 % · finishing · 7 samples · zip")
    #expect(line(phase: "warm-up").hasSuffix("· 7 samples · warm-up of zip"))
    #expect(line(showsBar: false) == "\(CommandName.current): 25 % · 30 s left · 7 samples · zip")
  }

  @Test func `the line fits the terminal and escapes control characters`() {
    #expect(line(String(repeating: "x", count: 100)).count == 79)
    #expect(line("a\u{1B}[2J\n").hasSuffix(#"· a\u{1B}[2J\n"#))
    let progress = RunProgress(scenario: "publish-instant-1000", samples: 7, fraction: 0.5)
    for width in [39, 59] {
      let line = ProgressBar.line(progress, elapsedSeconds: 10, showsBar: true, width: width)
      #expect(line.count == width && line.contains("10 s left"))
    }
  }

  @Test func `a run that takes longer than its budget says so, and once more if it grows`() {
    var remark = ForecastRemark(budgetNanoseconds: 10_000_000_000, generations: 6)
    func isSaid(_ seconds: Double) -> Bool {
      remark.text(
        RunProgress.Forecast(
          nanoseconds: seconds * 1e9, longestPost: CellKey(contender: "a", scenario: "s"),
          longestPostNanoseconds: 1, generationNanoseconds: 1)) != nil
    }
    #expect([12, 13, 14, 20, 24, 30, 20].map(isSaid) == [false, true, false, true, false, true, false])
  }
}

@Suite(.ownThread) struct PreparationTests {
  private static let limits: [(begin: @Sendable (Int) throws -> Void, Int, start: String, remedy: String)] = [
    (
      { try Preparation.begin(descriptors: $0) }, 255, "only 255 files may be open at once", "`ulimit -n 256`"
    ),
    (
      { try Preparation.begin(descriptors: 256, addressBytes: $0) }, (4 << 30) - 1,
      "only 4095 MiB of address space are allowed", "`ulimit -v unlimited`"
    ), ({ try Preparation.begin(threads: $0) }, 255, "only 255 more threads can be started", "`pids.max`"),
  ]

  @Test(arguments: limits)
  func `too few descriptors, threads or addresses are refused at the start`(
    _ begin: @Sendable (Int) throws -> Void, count: Int, start: String, remedy: String
  ) {
    let error = #expect(throws: FileProblem.self) { try begin(count) }
    #expect(error?.description.hasPrefix(start) == true && error?.description.contains(remedy) == true)
  }

  @Test(arguments: ["/nonexistent", "/dev/null", "/proc"])
  func `a temporary folder that is not writable is refused at the start`(folder: String) {
    let error = #expect(throws: FileProblem.self) { try Preparation.begin(temporaryFolder: folder) }
    #expect(error?.description.hasPrefix("cannot write temporary files in \(folder): ") == true)
    #expect(error?.description.contains("TMPDIR") == true)
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent"))
  }

  @Test func `testing whether a folder is writable leaves no file`() throws {
    let scratch = Scratch()
    let folder = scratch.folder
    #expect(TemporaryFolder.reasonNotToWrite(in: folder.path) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `temporary folders are removed`() throws {
    let paths = (0..<3).map { TemporaryFolder.path("fanout-test-\($0)") }
    #expect(Set(paths).count == 3)
    for path in paths {
      try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    }
    TemporaryFolder.remove(paths[0])
    #expect(paths.map(FileManager.default.fileExists) == [false, true, true])
    paths.forEach(TemporaryFolder.removeInUse)
    #expect(paths.map(FileManager.default.fileExists) == [false, false, false])
  }
}

@Suite(.ownThread) struct InterruptionTests {
  /// `timeout` and a closed terminal send a signal twice.
  @Test(arguments: [
    (1_000, 1_000, false), (1_000, 500_000_999, false), (1_000, 500_001_000, true), (2, 1, false),
  ])
  func `a signal repeated within half a second counts once`(first: UInt64, now: UInt64, isAnother: Bool) {
    #expect(Interruption.isAnother(now, after: first) == isAnother)
  }

  @Test func `every signal that ends the process has an exit code`() {
    for number in EndingSignals.all { #expect(ExitCode(rawValue: 128 + number) != nil) }
  }
}

@Suite(.ownThread) struct BuildAgeTests {
  private let scratch = Scratch()
  private var executable: URL { scratch.folder.appendingPathComponent("build/bench") }
  private var sources: URL { scratch.folder.appendingPathComponent("Sources") }

  init() throws {
    try write("", to: "build/bench", changed: 1_000)
    try write(
      "/x/A.build/Linked.swift.o\n/x/B.build/other.c.o\n", to: "build/bench.product/Objects.LinkFileList")
    try write("", to: "Sources/A/Linked.swift", changed: 999)
    try write("", to: "Sources/B/other.c", changed: 999)
    try write("", to: "Sources/C/Unlinked.swift", changed: 2_000)
  }

  private func write(_ text: String, to name: String, changed seconds: Double = 0) throws {
    let file = scratch.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file.path)
  }

  @Test func `a source that is not linked does not make the build old`() {
    #expect(BuildAge.remark(of: executable, sources: sources) == nil)
  }

  @Test(arguments: ["A/Linked.swift", "B/other.c", "B/include/any.h"])
  func `a linked source that changed after the build is named`(source: String) throws {
    try write("", to: "Sources/\(source)", changed: 1_001)
    #expect(
      BuildAge.remark(of: executable, sources: sources)
        == "This executable is older than its source Sources/\(source): build it again."
    )
  }

  @Test func `a copied executable is not called old`() throws {
    try write("", to: "Sources/A/Linked.swift", changed: 1_001)
    try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("build/bench.product"))
    #expect(BuildAge.remark(of: executable, sources: sources) == nil)
  }
}
