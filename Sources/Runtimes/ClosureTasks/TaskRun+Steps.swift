import Synchronization

extension TaskRun {
  @usableFromInline static var oneStep: UInt32 { 2 }
  /// Somebody has left the telling of a cancellation to the last step.
  @usableFromInline static var leftToSteps: UInt32 { 1 }

  /// Takes a step of this run, which may start something, unless the run has ended.
  ///
  /// A cancellation meanwhile is not told before the step has returned: what it starts is cancelled by then.
  @inlinable
  final func takeStep(_ body: () -> Void) {
    _ = steps.add(Self.oneStep, ordering: .acquiringAndReleasing)
    if !isEnded { body() }
    let left = steps.subtract(Self.oneStep, ordering: .acquiringAndReleasing).newValue
    if left == Self.leftToSteps { tellCancellation() }
  }

  /// Leaves it to the steps that are under way to tell of a cancellation. Only for the one who has cancelled this run.
  /// - Returns: false if there are none. None begins any more.
  final func leaveToSteps(_ cancelled: CancelledRuns) -> Bool {
    // An exchange rather than a load: whoever begins a step after it sees that the run has ended.
    var current = steps.bitwiseOr(0, ordering: .acquiringAndReleasing).newValue
    guard current != 0 else { return false }
    laterHandlers = [{ cancelled.tell() }]
    while current != 0 {
      let (exchanged, original) = steps.weakCompareExchange(
        expected: current, desired: current | Self.leftToSteps,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = original
    }
    laterHandlers = []
    return false
  }

  @usableFromInline
  final func tellCancellation() {
    // A step that begins and finds the run ended may get here at the same time.
    guard
      steps.compareExchange(
        expected: Self.leftToSteps, desired: 0, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    let handlers = laterHandlers
    laterHandlers = []
    for handler in handlers { handler() }
  }
}
