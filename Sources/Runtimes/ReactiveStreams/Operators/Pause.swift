extension Relay {
  /// Follows nothing for a while, and then what `resume` subscribes to; cancelling meanwhile means that it never does.
  func pause(
    for delay: Duration, on scheduler: any Scheduler, then resume: @escaping @Sendable () -> Void
  ) {
    let pause = SubscriptionSlot()
    follow(pause, produced: 0, granted: .none)
    _ = pause.keep(Pause(scheduler.schedule(after: delay, resume)))
  }
}

/// A timer that is running.
private final class Pause: Subscription {
  private let timer: AnyCancellable
  init(_ timer: AnyCancellable) { self.timer = timer }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { timer.cancel() }
}
