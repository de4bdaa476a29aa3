import Foundation
@testable import Harness
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct FileLockTests {
  private let scratch: Scratch
  private var path: String { scratch.path("lock") }

  init() throws { scratch = try Scratch() }

  private func isHeld() throws -> Bool {
    do {
      try FileLock(path, waits: {}, isInterrupted: { true }).release()
      return false
    } catch is Interrupted {
      return true
    }
  }

  @Test func `a waiting process reports it once and then holds the lock`() throws {
    let first = try FileLock(path, waits: { Issue.record("the lock is free") }, isInterrupted: { false })
    var (told, asked) = (0, 0)
    let second = try FileLock(path) {
      told += 1
    } isInterrupted: {
      asked += 1
      if asked == 3 { first.release() }
      return false
    }
    #expect(told == 1)
    second.release()
  }

  @Test func `waiting can be interrupted`() throws {
    let first = try FileLock(path, waits: {}, isInterrupted: { false })
    defer { first.release() }
    #expect(throws: Interrupted.self) { try FileLock(path, waits: {}, isInterrupted: { true }) }
  }

  @Test func `a folder lock leaves no file`() throws {
    let first = try FileLock(folderOf: path, isInterrupted: { false })
    #expect(throws: Interrupted.self) { try FileLock(folderOf: path, isInterrupted: { true }) }
    first.release()
    // For a moment, what other tests start at the same time may still have it.
    try FileLock(folderOf: path, isInterrupted: { false }).release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
  }

  /// As a check that is killed while its build goes on.
  @Test func `a child holds the lock after its parent releases it`() throws {
    let lock = try FileLock(path, waits: {}, isInterrupted: { false })
    #expect(mkfifo(scratch.path("end"), 0o600) == 0)
    let child = try ToolProcess(
      "sh", ["-c", "read line < end"], in: scratch.folder, holding: lock.descriptor)
    lock.release()
    #expect(try isHeld())

    // It is waiting for this.
    try Data("\n".utf8).write(to: scratch.folder.appendingPathComponent("end"))
    _ = try child.wait(timeout: .seconds(60), limitBytes: 1 << 20, isInterrupted: { false })
    // For a moment, what other tests start at the same time may still have it.
    try FileLock(path, waits: {}, isInterrupted: { false }).release()
  }

  @Test func `a path that cannot be written is refused`() {
    let error = #expect(throws: FileProblem.self) {
      try FileLock("/nowhere/lock", waits: {}, isInterrupted: { false })
    }
    #expect(error?.description.hasPrefix("cannot write /nowhere/lock: ") == true)
  }
}
