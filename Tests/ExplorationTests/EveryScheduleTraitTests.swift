import Exploration
import TestSupport
import Testing

@testable import ExplorationTesting

@Suite(.ownThread) struct EveryScheduleTraitTests {
  @Test(.everySchedule(.schedules(500))) func `a test runs under every schedule`() async throws {
    let exploration = try #require(ScheduleContext.current)
    async let one: Void = exploration.clock.sleep(for: .seconds(60))
    async let other: Void = Task.yield()
    _ = try await (one, other)
    #expect(exploration.clock.now.offset == .seconds(60))
  }

  /// A finding of one case must not replay in another.
  @Test(arguments: ["one", "other"]) func `each case has a file of its own`(_ argument: String) throws {
    let test = try #require(Test.current)
    #expect(EveryScheduleTrait.name(of: test, Test.Case.current) == "\(test.name) \"\(argument)\"")
  }

  @Test func `a failing test is recorded once`() async throws {
    let test = try #require(Test.current)
    try await withKnownIssue {
      try await EveryScheduleTrait.everySchedule.provideScope(for: test, testCase: nil) {
        let counter = Counter()
        async let one: Void = { _ = counter.add() }()
        async let other: Void = { #expect(counter.add() == 1) }()
        _ = await (one, other)
      }
    } matching: { issue in
      "\(issue)".contains("Replay it with following")
    }
  }

  /// A test returns even if its schedules stay suspended.
  @Test func `a lost wake-up fails the test, not the process`() async throws {
    let test = try #require(Test.current)
    for _ in 0..<3 {
      try await withKnownIssue {
        try await EveryScheduleTrait.everySchedule.provideScope(for: test, testCase: nil) {
          await Task.yield()
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
      } matching: { issue in
        "\(issue)".contains("deadlock: no task can go on")
      }
    }
  }
}
