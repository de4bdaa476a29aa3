import Dispatch
import Exploration
import TestSupport
import Testing

@Suite(.ownThread) struct EveryScheduleTests {
  private func failure(
    _ budget: ScheduleBudget = .time(.seconds(5)),
    _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
  ) async -> ScheduleFailure? {
    do {
      try await everySchedule(budget, body)
      return nil
    } catch { return error as? ScheduleFailure }
  }

  /// Three child tasks that each yield once: the numbers that go through one another in a task group.
  @Test func aGroupOfThreeIsExhausted() async throws {
    let report = try await everySchedule {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await Task.yield() } }
      }
    }
    #expect(report.isExhausted)
    #expect(report.schedules == 11_130)
  }

  @Test func aClockThatStandsStillMovesWhenNothingElseCan() async throws {
    let report = try await everySchedule { exploration in
      let start = exploration.clock.now
      async let short: Void = exploration.clock.sleep(for: .seconds(1))
      async let long: Void = exploration.clock.sleep(for: .seconds(3_600))
      _ = try await (short, long)
      #expect(start.duration(to: exploration.clock.now) == .seconds(3_600))
    }
    #expect(report.isExhausted)
  }

  @Test func aSleepThatIsCancelledEndsAtOnce() async throws {
    try await everySchedule { exploration in
      await withTaskGroup(of: Bool.self) { group in
        group.addTask { (try? await exploration.clock.sleep(for: .seconds(60))) == nil }
        group.cancelAll()
        #expect(await group.next() == true)
      }
      #expect(exploration.clock.now.offset == .zero)
      #expect(exploration.clock.sleeperCount == 0)
    }
  }

  @Test(arguments: PlantedBug.all) private func aPlantedBugIsFoundShrunkAndReplayed(_ bug: PlantedBug)
    async throws
  {
    let found = try #require(await failure { try await bug.body($0) }, "\(bug)")
    #expect(found.problem.contains(bug.problem), "\(found)")
    #expect(!found.story.isEmpty)
    let choices = found.choices.map(String.init).joined(separator: " ")
    for _ in 0..<Effort.count(5, thorough: 100) {
      let again = await #expect(throws: ScheduleFailure.self) {
        try await everySchedule(following: choices) { try await bug.body($0) }
      }
      #expect(again?.problem == found.problem)
      #expect(again?.story == found.story)
    }
  }

  @Test(arguments: PlantedBug.all) private func whatIsCorrectHasNoFinding(_ bug: PlantedBug) async {
    let found = await failure(.schedules(2_000)) { try await bug.corrected($0) }
    #expect(found == nil, "\(found.map { "\($0)" } ?? "")")
  }

  @Test func whatGoesOnElsewhereIsTold() async {
    let dispatched = await failure { _ in
      // Its child runs once the body has suspended; what resumes it before is seen by nobody.
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

  @Test func whatDoesNotEndIsTold() async {
    let found = await failure(ScheduleBudget(steps: 100)) { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    #expect(found?.problem == "100 steps without an end")
  }

  @Test func whatDependsOnMoreThanItsScheduleIsTold() async {
    let runs = Counter()
    let found = await failure { _ in
      if runs.add() % 3 == 2 { await Task.yield() }
      async let one: Void = Task.yield()
      async let other: Void = Task.yield()
      _ = await (one, other)
    }
    #expect(found?.problem.contains("led elsewhere") == true, "\(String(describing: found))")
  }

  @Test func aStoryHasItsNotes() async {
    let found = await failure { exploration in
      exploration.note("something was done")
      throw Wrong()
    }
    #expect(found?.story == ["the body starts: something was done"])
    #expect(found?.description.contains("1. the body starts") == true)
  }

  @Test func anActorWithASteppedExecutorTakesOneMessageAStep() async throws {
    let report = try await everySchedule { exploration in
      let actor = SteppedActor(exploration.makeExecutor())
      async let one: Void = actor.add()
      async let other: Void = actor.add()
      _ = await (one, other)
      #expect(await actor.count == 2)
    }
    #expect(report.isExhausted)
    #expect(report.schedules > 2)
  }
}

private actor SteppedActor {
  private let executor: SteppedExecutor
  private(set) var count = 0
  init(_ executor: SteppedExecutor) { self.executor = executor }
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func add() { count += 1 }
}
