import Exploration
import TestSupport
import Testing

@Suite(.ownThread) struct EveryScheduleTests {
  @Test func `three child tasks that yield are explored to the end`() async throws {
    let report = try await everySchedule(.time(.seconds(120))) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await Task.yield() } }
      }
    }
    #expect(report.isExhausted)
    #expect(report.schedules == 510)
  }

  /// A ready task may begin to sleep only after another's sleep.
  @Test(arguments: [[], ScheduleAssumptions.timersWait])
  func `the clock may advance before ready tasks run`(_ assumptions: ScheduleAssumptions) async throws {
    let ends = Guarded<Set<Duration>>([])
    let report = try await everySchedule(assuming: assumptions) { exploration in
      async let short: Void = exploration.clock.sleep(for: .seconds(1))
      async let long: Void = exploration.clock.sleep(for: .seconds(3_600))
      _ = try await (short, long)
      ends.withLock { _ = $0.insert(exploration.clock.now.offset) }
    }
    #expect(report.isExhausted)
    #expect(
      ends.withLock(\.self) == (assumptions.isEmpty ? [.seconds(3_600), .seconds(3_601)] : [.seconds(3_600)]))
  }

  @Test func `a cancelled sleep ends at once`() async throws {
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

  @Test func `a story has its notes`() async {
    let found = await failure { exploration in
      exploration.note("something was done")
      throw Wrong()
    }
    #expect(found?.story == ["the body starts: something was done"])
    #expect(found?.description.contains("1. the body starts") == true)
  }

  @Test func `a story says what made each step ready`() async {
    let found = await failure { exploration in
      _ = await PlainActor().add()
      try await exploration.clock.sleep(for: .seconds(1))
      throw Wrong()
    }
    #expect(
      found?.story == [
        "the body starts", "PlainActor runs the body", "the body is back from PlainActor",
        "the clock moves to 1 s", "the body goes on, resumed in step 4",
      ])
  }

  @Test func `an actor on a stepped executor takes one message a step`() async throws {
    let report = try await everySchedule { exploration in
      let actor = SteppedActor(exploration.makeSerialExecutor())
      async let one: Void = actor.add()
      async let other: Void = actor.add()
      _ = await (one, other)
      #expect(await actor.count == 2)
    }
    #expect(report.isExhausted)
    #expect(report.schedules > 2)
  }

  /// A task continues beside those that its first step created.
  @Test func `no two ready steps share a name`() {
    let queue = StepQueue()
    queue.catching {
      queue.begin(Step(id: 1))
      _ = Task(executorPreference: queue) {
        await withTaskGroup { group in
          for _ in 0..<3 { group.addTask {} }
          await group.waitForAll()
        }
      }
      var most = 0
      while !queue.steps.isEmpty {
        most = max(most, queue.steps.count)
        #expect(Set(queue.steps.map(\.id)).count == queue.steps.count)
        queue.run(at: queue.steps.count - 1)
      }
      #expect(most == 3)
    }
  }
}

private actor PlainActor {
  func add() {}
}

private actor SteppedActor {
  private let executor: SteppedExecutor
  private(set) var count = 0
  init(_ executor: SteppedExecutor) { self.executor = executor }
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func add() { count += 1 }
}
