import Exploration
import ExplorationTesting
import Testing

/// Lets all tasks through once it is open.
private actor Door {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func pass() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Wrong: the door may open during the write to the log, and the check is not repeated.
  func passLogging(_ log: Log) async {
    if isOpen { return }
    await log.append("a task waits")
    await withCheckedContinuation { waiting.append($0) }
  }
}

private actor Log {
  private var lines: [String] = []

  func append(_ line: String) { lines.append(line) }
}

@Suite struct DoorTests {
  @Test(.everySchedule) func tasksPassAnOpenDoor() async {
    let door = Door()
    async let first: Void = door.pass()
    async let second: Void = door.pass()
    async let opened: Void = door.open()
    _ = await (first, second, opened)
  }

  /// The door opens between the check and the wait: one order of many, which an ordinary test meets by luck.
  @Test func aLostWakeUpIsFound() async throws {
    let failure = await #expect(throws: ScheduleFailure.self) {
      try await everySchedule {
        let (door, log) = (Door(), Log())
        async let passed: Void = door.passLogging(log)
        async let opened: Void = door.open()
        _ = await (passed, opened)
      }
    }
    print(failure ?? "nothing was found")
    let choices = try #require(failure).choices.map(String.init).joined(separator: " ")
    await #expect(throws: ScheduleFailure.self) {
      try await everySchedule(following: choices) {
        let (door, log) = (Door(), Log())
        async let passed: Void = door.passLogging(log)
        async let opened: Void = door.open()
        _ = await (passed, opened)
      }
    }
  }
}
