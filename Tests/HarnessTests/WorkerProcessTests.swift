import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct WorkerProcessTests {
  private let request = SampleRequest(scenario: Scenario(name: "one", photos: 1), iterations: 1)
  private let timeout = WorkerTimeout(seconds: 60, spareSeconds: 30)

  /// The sender is known where the kernel counts its own kills.
  private static let unexplained =
    MachineFiles.here.text("/proc/vmstat") == nil ? ", most likely out of memory" : ", sent from outside"

  private func worker(_ script: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) throws
    -> any WorkerHandle<SampleRequest<Scenario>>
  {
    try WorkerProcess<SampleRequest<Scenario>>(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], isInterrupted: isInterrupted)
  }

  private func failure(of script: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) throws
    -> WorkerFailure?
  {
    let worker = try worker(script, isInterrupted: isInterrupted)
    defer { worker.stop() }
    do {
      _ = try worker.run(request, timeout: timeout)
      return nil
    } catch { return error }
  }

  @Test func `a reply may come in pieces`() throws {
    let reply = String(
      decoding: try JSONEncoder().encode(SampleReply(outcome: .measured, iterations: 1)), as: UTF8.self)
    let (head, tail) = (reply.prefix(20), reply.dropFirst(20))
    let worker = try worker("read line; printf '%s' '\(head)'; printf '%s\\n' '\(tail)'; read line")
    defer { worker.stop() }
    #expect(try worker.run(request, timeout: timeout).outcome == .measured)
  }

  @Test(
    arguments: [{ $0.wallNanoseconds = .max }, { $0.usage.minorFaults = -1 }, { $0.peakRSSBytes = .max }]
      as [@Sendable (inout SampleReply) -> Void])
  func `impossible numbers are no reply`(change: @Sendable (inout SampleReply) -> Void) throws {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    change(&reply)
    let line = String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    #expect(try failure(of: "read line; echo '\(line)'; read line") == .garbled(line: line))
  }

  @Test(arguments: [
    ("read line; exit 3", WorkerFailure.died(how: "exit status 3")),
    ("read line; kill -9 $$", .died(how: "signal 9\(WorkerProcessTests.unexplained)")),
    ("read line; printf '{\"half\": '; exit 0", .died(how: "exit status 0")),
    (
      "read line; echo 'Fatal error: no such thing' >&2; kill -9 $$",
      .died(how: "signal 9\(WorkerProcessTests.unexplained), saying “Fatal error: no such thing”")
    ), ("read line; echo hello; read line", .garbled(line: "hello")),
    ("read line; echo; read line", .garbled(line: "")),
    ("read line; echo '{}'; read line", .garbled(line: "{}")),
  ])
  func `a failed worker is described`(script: String, expected: WorkerFailure) throws {
    let failure = try failure(of: script)
    #expect(failure == expected, "\(String(describing: failure))")
  }

  @Test func `a worker's output reaches the terminal as plain text`() {
    let escape = "\u{1B}]0;title\u{7}"
    #expect(!WorkerFailure.garbled(line: escape).description.contains("\u{1B}"))
    #expect(!StderrExcerpt.quote("error: \(escape)").contains("\u{1B}"))
  }

  @Test func `an interrupt ends the wait`() throws {
    #expect(try failure(of: "read line; read forever", isInterrupted: { true }) == .interrupted)
  }

  /// Thirty of the usual 40 s are a reserve for a busy machine.
  @Test(arguments: [(40, Int.max, 40), (40, 60, 40), (40, 25, 25), (40, 1, 10), (140, 1, 110)])
  func `a short budget is not spent on silence`(usual: Int, budget: Int, seconds: Int) {
    #expect(WorkerTimeout(seconds: usual, spareSeconds: 30).seconds(withinBudget: budget) == seconds)
  }

  @Test func `a worker that cannot be started is an error`() {
    #expect(throws: WorkerFailure.self) {
      _ = try WorkerProcess<SampleRequest<Scenario>>(
        executable: URL(fileURLWithPath: "/nowhere/bench"), arguments: [], isInterrupted: { false })
    }
  }

  @Test(arguments: [
    ("", ""), ("measuring …\n", ""),
    (
      "ready\na.swift:1: Fatal error: no such thing\nstack:\n",
      ", saying “a.swift:1: Fatal error: no such thing”"
    ),
    (
      "FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.\n",
      ", saying “FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.”: the server cut off an answer inside its headers, so Foundation ended the process; the contender is not at fault"
    ),
  ])
  func `the error line is quoted, with its cause where known`(_ words: String, quote: String) {
    #expect(StderrExcerpt.quote(words) == quote)
  }

  @Test func `a long line is cut short`() {
    #expect(StderrExcerpt.quote("error " + String(repeating: "x", count: 1_000)).count < 250)
  }
}

@Suite(.ownThread) struct LineProcessTests {
  private func shell(_ script: String) throws -> LineProcess {
    try LineProcess(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], isInterrupted: { false })
  }

  /// `cat` would wait for its input, and Foundation for `cat`.
  @Test func `stopping a wrapper ends a child that waits for input`() throws {
    let process = try shell("echo ready; cat; exit 0")
    #expect(try process.readLine(seconds: 60) == Array("ready".utf8))
    process.stop()
  }

  @Test func `stopping a process ends its background children`() throws {
    let process = try shell("sleep 1000 & echo $!; exit 0")
    let child = try #require(pid_t(String(decoding: process.readLine(seconds: 60), as: UTF8.self)))
    process.stop()
    // Gone, or a zombie that is not reaped yet.
    while kill(child, 0) == 0, !Self.isZombie(child) { sched_yield() }
  }

  private static func isZombie(_ process: pid_t) -> Bool {
    MachineFiles.here.text("/proc/\(process)/stat")?.split(separator: " ").dropFirst(2).first == "Z"
  }

  #if os(Linux)
    @Test func `stderr goes to a file without a name`() throws {
      let process = try shell("stat --dereference --format %h /proc/self/fd/2")
      defer { process.stop() }
      #expect(try process.readLine(seconds: 60) == Array("0".utf8))
    }

    /// Two folders with paths of different length, with a shell each.
    private func shells(_ body: ([URL]) throws -> Void) throws {
      let folder = Scratch()
      let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath()
      try body(
        ["a", "another"].map { name in
          let place = folder.folder.appendingPathComponent(name)
          try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
          try FileManager.default.copyItem(at: shell, to: place.appendingPathComponent("sh"))
          return place
        })
    }

    private func left(in folder: URL) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    private func copied(_ script: String, in folder: URL) throws -> LineProcess {
      try LineProcess(
        executable: folder.appendingPathComponent("sh"), arguments: ["-c", script], isCopied: true,
        isInterrupted: { false })
    }

    @Test func `each copy has a path of equal length and is removed once it runs`() throws {
      try shells { folders in
        let paths = try (folders + folders).map { folder in
          let process = try copied("readlink /proc/$$/exe; cat", in: folder)
          defer { process.stop() }
          let path = try String(decoding: process.readLine(seconds: 60), as: UTF8.self)
          #expect(path.hasPrefix(folder.path + "/sh-"))
          #expect(try left(in: folder) == ["sh"])
          return path
        }
        #expect(Set(paths).count == 4)
        #expect(Set(paths.map(\.count)).count == 1)
      }
    }

    @Test func `a process stopped before its first line leaves no copy`() throws {
      try shells { folders in
        let process = try copied("cat", in: folders[0])
        process.stop()
        #expect(try left(in: folders[0]) == ["sh"])
      }
    }
  #endif

  @Test func `an endless line is cut off`() throws {
    let process = try shell("exec tr '\\0' x </dev/zero")
    defer { process.stop() }
    #expect(throws: WorkerFailure.garbled(line: String(repeating: "x", count: 100))) {
      try process.readLine(seconds: 600)
    }
  }
}

#if canImport(Glibc)
  @Suite(.ownThread) struct PlacementTests {
    /// The scheduling policy of a placed process (the 41st field of its stat: 0 the usual, 1 FIFO, 3 batch), and its processors.
    private static func child(of placement: Placement) throws -> [String] {
      let process = try LineProcess(
        executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: [
          "-c", "cut -d' ' -f41 /proc/self/stat; grep Cpus_allowed_list /proc/self/status | cut -f2",
        ], placement: placement, isInterrupted: { false })
      defer { process.stop() }
      return try (0..<2).map { _ in String(decoding: try process.readLine(seconds: 10), as: UTF8.self) }
    }

    @Test func `both sides of a pair share one processor in the batch class`() throws {
      let processor = try #require(Placement.lastProcessor)
      let placement = Placement.oneProcessor(processor)
      try #require(placement.isPermitted)
      #expect(try Self.child(of: placement) == ["3", "\(processor)"])
    }

    @Test func `without a placement a process runs as usual`() throws {
      #expect(try Self.child(of: .anywhere).first == "0")
    }

    @Test func `a missing processor is not permitted`() {
      #expect(!Placement.oneProcessor(100_000).isPermitted)
    }

    @Test func `real-time priority is used where permitted`() throws {
      guard Placement.realTime.isPermitted else { return }
      #expect(try Self.child(of: .realTime).first == "1")
    }
  }
#endif
