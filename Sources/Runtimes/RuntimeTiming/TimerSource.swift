import Synchronization

/// Where timers get their time from: ``system``, or a ``ManualTimerSource`` that stands still until it is moved.
///
/// `@unchecked Sendable`: the one variable is the heap, under its lock.
package class TimerSource: @unchecked Sendable {
  /// What timers that are made in this task, or on this thread outside of any, go by.
  @TaskLocal package static var current: TimerSource = system

  /// The machine's monotonic clock.
  package static let system: TimerSource = SystemTimerSource()

  let heap = Mutex(TimerHeap())

  init() {}

  /// The time since some fixed moment.
  package final var now: Duration { .nanoseconds(nowNanoseconds) }

  /// How many timers have neither become due nor been cancelled.
  package final var pendingCount: Int { heap.withLock { $0.count } }

  var nowNanoseconds: Int64 { preconditionFailure("a source overrides this") }

  /// Takes a timer in.
  func insert(_ timer: OneShotTimer) { heap.withLock { $0.insert(timer) } }

  final func remove(_ timer: OneShotTimer) { heap.withLock { $0.remove(timer) } }

  /// The moment after a while, or the last one there is.
  final func deadlineNanoseconds(after delay: Duration) -> Int64 {
    let (sum, overflows) = nowNanoseconds.addingReportingOverflow(delay.wholeNanoseconds)
    return overflows ? .max : sum
  }
}
