import Exploration
import Synchronization
import Testing

/// Runs a test once under every interleaving of its tasks, or as many as a budget allows. See `everySchedule`. It fails at most
/// once, with the steps of the simplest failure found. It must sleep by the clock of `ScheduleContext.current`.
public struct EveryScheduleTrait: TestTrait, SuiteTrait, TestScoping {
  let budget: ScheduleBudget
  let assumptions: ScheduleAssumptions
  let choices: String?

  /// Whether a suite applies the trait to each of its tests. The value is always true.
  public var isRecursive: Bool { true }

  /// Runs the test once for each interleaving.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let issues = Mutex<[String]>([])
    let failure = Mutex<(text: String, isAtWork: Bool)?>(nil)
    let keeping = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append("\(issue)") }
      return nil
    }
    try await withoutActuallyEscaping(function) { function in
      let lent = LentFunction(function)
      lent.lend()
      try await keeping.provideScope(for: test, testCase: testCase) {
        do {
          try await Exploration.everySchedule(
            budget, assuming: assumptions, following: choices,
            orProblem: {
              issues.withLock { issues in
                defer { issues = [] }
                return issues.first
              }
            }, name: Self.name(of: test, testCase),
            fileID: test.sourceLocation.fileID, line: test.sourceLocation.line
          ) { _ in try await lent() }
        } catch {
          failure.withLock { $0 = ("\(error)", (error as? ScheduleFailure)?.isAtWork ?? false) }
        }
      }
      if let failure = failure.withLock(\.self), failure.isAtWork {
        Issue.record("\(failure.text)", sourceLocation: test.sourceLocation)
        fatalError("A step of this test does not return, and a running test cannot be abandoned.")
      }
      lent.takeBack()
    }
    if let failure = failure.withLock(\.self) {
      Issue.record("\(failure.text)", sourceLocation: test.sourceLocation)
    }
  }
}

extension EveryScheduleTrait {
  /// The test's name with the arguments of a test case. Swift Testing shows arguments only in the descriptions of test cases.
  static func name(of test: Test, _ testCase: Test.Case?) -> String {
    guard let testCase, testCase.isParameterized else { return test.name }
    let arguments = "\(testCase)".matches(of: #/Argument\(value: (.*?), id: /#.dotMatchesNewlines())
    return "\(test.name) \(arguments.map(\.output.1).joined(separator: ", "))"
  }
}

/// A nonescaping closure. Some calls of it may stay suspended forever.
private final class LentFunction: @unchecked Sendable {
  // Invariant: the closure is set in init, called by one run after another, and released by `takeBack` after the last.
  private struct Function { let call: @Sendable () async throws -> Void }
  private var function: Function?
  private var references: UInt = 0

  init(_ function: @escaping @Sendable () async throws -> Void) { self.function = Function(call: function) }

  func lend() { references = count }

  func callAsFunction() async throws { try await function!.call() }

  /// Releases the closure, and the references to its context that suspended calls of a failed run still hold. With these
  /// references, the closure would count as escaped.
  func takeBack() {
    let held = count
    if held > references { for _ in 0..<(held - references) { captured?.release() } }
    function = nil
  }

  private var count: UInt { captured.map { _getRetainCount($0.takeUnretainedValue()) } ?? 0 }

  /// The captured context, which is the second of a closure's two words. The first is its code.
  private var captured: Unmanaged<AnyObject>? {
    let words = unsafeBitCast(function!, to: (code: UnsafeRawPointer, captured: UnsafeRawPointer?).self)
    return words.captured.map { Unmanaged.fromOpaque($0) }
  }
}

extension Trait where Self == EveryScheduleTrait {
  /// Runs the test under every interleaving of its tasks, for at most ten seconds.
  public static var everySchedule: Self { .everySchedule() }

  /// Runs the test under every interleaving of its tasks, or as many as the budget allows.
  ///
  /// - Parameters:
  ///   - budget: the limits on time, schedules and steps.
  ///   - assumptions: conditions that the check relies on but does not verify.
  ///   - choices: an interleaving to replay, in the form that a failure prints. No other runs.
  public static func everySchedule(
    _ budget: ScheduleBudget = .standard, assuming assumptions: ScheduleAssumptions = [],
    following choices: String? = nil
  ) -> Self {
    Self(budget: budget, assumptions: assumptions, choices: choices)
  }
}
