import Dispatch
import Exploration
import Foundation
import TestSupport
import Testing

/// Bodies that cannot be explored, or that end the process: each is reported.
@Suite(.ownThread) struct BadInputTests {
  @Test func `work outside the exploration is reported`() async {
    let dispatched = await failure { _ in
      // The child runs once the body has suspended; an earlier resumption stays unseen.
      let isSuspended = DispatchSemaphore(value: 0)
      async let child: Void = { _ = isSuspended.signal() }()
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          isSuspended.wait()
          continuation.resume()
        }
      }
      await child
    }
    #expect(dispatched?.problem.contains("another thread") == true, "\(String(describing: dispatched))")
    let slept = await failure { _ in try await Task.sleep(for: .seconds(600)) }
    #expect(slept?.problem.contains("real clock") == true, "\(String(describing: slept))")
  }

  @Test func `a thrown error is reported`() async {
    let found = await failure { _ in throw Wrong() }
    #expect(found?.problem == "the body threw Wrong()")
  }

  @Test func `a body without end is reported`() async {
    let found = await failure(ScheduleBudget(steps: 100)) { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    #expect(
      found?.problem == "the body has not ended after 100 steps: it runs forever, or needs a larger budget")
  }

  @Test func `a spinning body is reported`() async {
    let isOver = Guarded(false)
    let found = await failure(ScheduleBudget(stepTime: .seconds(1))) { _ in
      await Task.yield()
      while !isOver.withLock(\.self) {}
    }
    isOver.withLock { $0 = true }
    #expect(found?.problem.contains("it spins") == true, "\(String(describing: found))")
    #expect(found?.file != nil)
  }

  @Test func `a blocked thread is reported and replayed`() async throws {
    let blocked = DispatchSemaphore(value: 0)
    // Blocks only where the second child runs before the first.
    let body: @Sendable (ScheduleContext) async throws -> Void = { _ in
      let isSet = Guarded(false)
      async let set: Void = isSet.withLock { $0 = true }
      async let wait: Void = { if !isSet.withLock(\.self) { blocked.wait() } }()
      _ = await (set, wait)
    }
    let budget = ScheduleBudget(stepTime: .seconds(1))
    let found = try #require(await failure(budget, body))
    #expect(found.problem.contains("it blocks its thread"), "\(found)")
    // Replaying its choices leads to the same step, with the story.
    let choices = found.choices.map(String.init).joined(separator: " ")
    let again = await #expect(throws: ScheduleFailure.self) {
      try await everySchedule(budget, following: choices, body)
    }
    for _ in 0..<2 { blocked.signal() }
    #expect(again?.problem == found.problem)
    #expect(again?.story.isEmpty == false)
  }

  @Test func `a body that depends on more than its schedule passes, and the report says where`() async throws
  {
    let runs = Counter()
    let report = try await everySchedule(.schedules(200)) {
      if runs.add() % 3 == 2 { await Task.yield() }
      async let one: Void = Task.yield()
      async let other: Void = Task.yield()
      _ = await (one, other)
    }
    #expect(!report.isExhausted)
    #expect(report.divergence?.contains("after step 1 (the body starts)") == true, "\(report)")
  }

  /// Wrong where the second child runs before the first.
  private static func backwards(_ wrong: @escaping @Sendable () throws -> Void) async throws {
    let isSet = Guarded(false)
    async let set: Void = isSet.withLock { $0 = true }
    async let look: Void = { if !isSet.withLock(\.self) { try wrong() } }()
    _ = try await (set, look)
  }

  private static func crash() async throws {
    try await everySchedule { exploration in
      try await backwards {
        exploration.note("about to crash")
        fatalError("crash")
      }
    }
  }

  private static func file(namedIn text: String) -> String? {
    text.split(separator: "\n").first { $0.contains("in the middle of a schedule") }
      .flatMap { $0.split(separator: "=").last.map(String.init) }
  }

  /// A crash leaves no story, so a replay prints each line at once.
  @Test func `a crash leaves the file of its schedule`() async throws {
    let ended = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Self.crash()
    }
    let text = String(decoding: ended.standardErrorContent, as: UTF8.self)
    #expect(!text.contains("about to crash"))
    let path = try #require(Self.file(namedIn: text), "\(text)")
    let file = try ScheduleFile(path: path)
    let again = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      setenv("FANOUT_SCHEDULE", path, 1)
      try await Self.crash()
    }
    remove(path)
    let story = String(decoding: again.standardErrorContent, as: UTF8.self)
    Self.file(namedIn: story).map { _ = remove($0) }
    #expect(
      story.contains("  2. task 2 of the body starts, ahead of task 1 of the body\n     about to crash\n"),
      "\(story)"
    )
    #expect(file.place.contains("BadInputTests.swift:"))
    let choices = file.choices.map(String.init).joined(separator: " ")
    await #expect(throws: ScheduleFailure.self) {
      try await everySchedule(following: choices) { _ in try await Self.backwards { throw Wrong() } }
    }
  }

  @Test func `a finding writes a file that replays it`() async throws {
    let found = try #require(await failure { _ in try await Self.backwards { throw Wrong() } })
    let path = try #require(found.file)
    defer { remove(path) }
    let file = try ScheduleFile(path: path)
    #expect(file.choices == found.choices)
    #expect(found.description.contains("FANOUT_SCHEDULE=\(path)"))
    // In a new process with that variable, only the schedule of the file runs, and only at its place.
    await #expect(processExitsWith: .success) {
      let found = await #expect(throws: ScheduleFailure.self) {
        try await everySchedule(fileID: "A/B.swift", line: 1) { _ in
          try await Self.backwards { throw Wrong() }
        }
      }
      let path = try #require(found?.file)
      setenv("FANOUT_SCHEDULE", path, 1)
      defer { remove(path) }
      let again = await #expect(throws: ScheduleFailure.self) {
        try await everySchedule(fileID: "A/B.swift", line: 1) { _ in
          try await Self.backwards { throw Wrong() }
        }
      }
      #expect(again?.schedules == 1)
      #expect(again?.story == found?.story)
      let other = try await everySchedule(fileID: "A/B.swift", line: 2) { _ in try await Self.backwards {} }
      #expect(other.isExhausted)
    }
  }

  @Test func `a file that is no schedule is refused`() {
    #expect { try ScheduleFile(path: "/dev/null") } throws: {
      "\($0)" == "/dev/null cannot be read, or is no schedule file: give the path that the failure named"
    }
    #expect(throws: (any Error).self) { try ScheduleFile(path: "/no/such/file") }
  }
}
