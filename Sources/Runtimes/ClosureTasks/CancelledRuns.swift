/// Runs that have been ended by a cancellation and wait to say so, and what is to be done then.
struct CancelledRuns: Sendable {
  /// From the outermost in.
  var runs: [TaskRun] = []
  var action: (@Sendable () -> Void)?

  /// Takes over telling, and leaves nothing to tell.
  mutating func take() -> CancelledRuns {
    defer { self = CancelledRuns() }
    return self
  }

  /// Calls the completions, the last run's first; not before the steps that these runs are in have returned, so that
  /// nothing is started after it: the last of them does it then, on its thread.
  func tell() {
    for run in runs where run.leaveToSteps(self) { return }
    for run in runs.reversed() { run.complete(cancellation: CancellationError()) }
    action?()
  }
}
