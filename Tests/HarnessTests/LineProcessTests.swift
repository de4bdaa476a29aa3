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
  @Test func aWrapperThatIsStoppedLeavesNobodyWhoWouldBeWaitedFor() throws {
    let process = try shell("echo ready; cat; exit 0")
    #expect(try process.readLine(seconds: 60) == Array("ready".utf8))
    process.stop()
  }

  @Test func whoeverItHasStartedIsEndedWithIt() throws {
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
    @Test func whatItSaysBesideLiesInAFileWithoutAName() throws {
      let process = try shell("stat --dereference --format %h /proc/self/fd/2")
      defer { process.stop() }
      #expect(try process.readLine(seconds: 60) == Array("0".utf8))
    }
  #endif

  @Test func aLineWithoutEndIsCutOff() throws {
    let process = try shell("exec tr '\\0' x </dev/zero")
    defer { process.stop() }
    #expect(throws: WorkerFailure.garbled(line: String(repeating: "x", count: 100))) {
      try process.readLine(seconds: 600)
    }
  }
}
