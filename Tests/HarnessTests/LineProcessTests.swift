import Foundation
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct LineProcessTests {
  private func shell(_ script: String) throws -> LineProcess {
    try LineProcess(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], isInterrupted: { false })
  }

  /// `cat` would wait for its input for ever, and hold what Foundation waits for.
  @Test func `stopping a wrapper ends a child that waits for input`() throws {
    let process = try shell("echo ready; cat; exit 0")
    #expect(try process.readLine(seconds: 60) == Array("ready".utf8))
    process.stop()
  }

  @Test func `stopping a process ends its background children`() throws {
    let process = try shell("sleep 1000 & echo $!; exit 0")
    let child = try #require(pid_t(String(decoding: process.readLine(seconds: 60), as: UTF8.self)))
    process.stop()
    // Gone, or a zombie that nobody has looked after yet.
    while kill(child, 0) == 0, !Self.isZombie(child) { sched_yield() }
  }

  private static func isZombie(_ process: pid_t) -> Bool {
    MachineFiles.here.text("/proc/\(process)/stat")?.split(separator: " ").dropFirst(2).first == "Z"
  }

  #if os(Linux)
    /// Whoever is killed removes nothing.
    @Test func `stderr goes to a file without a name`() throws {
      let process = try shell("stat --dereference --format %h /proc/self/fd/2")
      defer { process.stop() }
      #expect(try process.readLine(seconds: 60) == Array("0".utf8))
    }
  #endif

  #if os(Linux)
    /// Two folders, whose paths are not equally long, with a shell each.
    private func shells(_ body: ([URL]) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "fanout-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath()
      try body(
        ["a", "another"].map { name in
          let place = folder.appendingPathComponent(name)
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
