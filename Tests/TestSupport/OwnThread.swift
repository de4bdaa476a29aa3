import Testing

/// Runs each test of a suite on a thread of its own, and ends the process if one takes longer than its limit.
///
/// Swift Testing runs tests, synchronous ones too, on the cooperative pool, which has a thread per processor. A test that
/// blocks one of them keeps tasks from running that others wait for. So every suite has this trait (`Scripts/check` looks),
/// and the pool is left to the code under test. What a test awaits, and its child tasks, run on threads of `TestThreads` too.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  fileprivate let minutes: Int

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await TurnQueue.shared.begin(minutes: minutes)
    let watched = HangWatch.shared.begin("\(test.id)", limit: .seconds(minutes * 60))
    defer {
      HangWatch.shared.end(watched)
      TurnQueue.shared.end()
    }
    try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// A thread for each test, and five minutes: some hundred times what all but the heaviest take on a quiet machine.
  package static var ownThread: Self { .ownThread(minutes: 5) }

  /// A thread for each test, and so much time for each case of it. Say more than five for the suites that take longest, which
  /// go first.
  package static func ownThread(minutes: Int) -> Self { OwnThread(minutes: minutes) }
}
