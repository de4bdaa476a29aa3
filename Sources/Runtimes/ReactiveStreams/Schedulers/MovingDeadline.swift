/// A deadline that moves with every signal, watched by a timer that is set once per interval at most.
struct MovingDeadline: Sendable {
  let interval: Duration
  let scheduler: any Scheduler
  private var deadline = Duration.zero
  /// What the running timer was set for.
  private var timerDeadline = Duration.zero
  private var timer: AnyCancellable?

  init(_ interval: Duration, _ scheduler: any Scheduler) {
    self.interval = interval
    self.scheduler = scheduler
  }

  /// Moves the deadline to one interval from now. When the timer fires, the owner asks `hasPassed`.
  mutating func restart(_ fire: @escaping @Sendable () -> Void) {
    deadline = scheduler.now + interval
    if timer == nil { setTimer(interval, fire) }
  }

  /// Whether the deadline still stands where the timer was set for it; if not, the timer is set anew.
  mutating func hasPassed(_ fire: @escaping @Sendable () -> Void) -> Bool {
    guard timer != nil else { return false }
    timer = nil
    // Compared with the timer's deadline, not with now: an immediate scheduler's time does not pass.
    if deadline == timerDeadline { return true }
    setTimer(deadline - scheduler.now, fire)
    return false
  }

  mutating func stop() { timer = nil }

  private mutating func setTimer(_ delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    timerDeadline = deadline
    timer = scheduler.schedule(after: delay, fire)
  }
}
