import Exploration
import Synchronization
import Testing

/// Runs a test under every schedule of its tasks, or as many as a budget allows; see `everySchedule`. It fails once, with the
/// schedule that failed, shrunk, as a story.
///
/// The test is run anew for each schedule. It sleeps by the clock of `ScheduleContext.current`.
public struct EveryScheduleTrait: TestTrait, SuiteTrait, TestScoping {
  let budget: ScheduleBudget
  let choices: String?

  /// A suite gives it to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs the test again and again.
  ///
  /// - Parameters:
  ///   - test: the test.
  ///   - testCase: one of its cases.
  ///   - function: what it does.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let issues = Mutex<[String]>([])
    let failure = Mutex<String?>(nil)
    let keeping = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append("\(issue)") }
      return nil
    }
    try await withoutActuallyEscaping(function) { function in
      try await keeping.provideScope(for: test, testCase: testCase) {
        do {
          try await Exploration.everySchedule(
            budget, following: choices,
            orProblem: {
              issues.withLock { issues in
                defer { issues = [] }
                return issues.first
              }
            }
          ) { _ in try await function() }
        } catch { failure.withLock { $0 = "\(error)" } }
      }
    }
    if let failure = failure.withLock({ $0 }) { Issue.record("\(failure)") }
  }
}

extension Trait where Self == EveryScheduleTrait {
  /// Every schedule of the test's tasks, for at most ten seconds.
  public static var everySchedule: Self { .everySchedule(.standard) }

  /// Every schedule of the test's tasks, as far as the budget goes.
  ///
  /// - Parameters:
  ///   - budget: how much is tried.
  ///   - choices: one schedule only, as a failure prints it.
  public static func everySchedule(_ budget: ScheduleBudget, following choices: String? = nil) -> Self {
    Self(budget: budget, choices: choices)
  }
}
