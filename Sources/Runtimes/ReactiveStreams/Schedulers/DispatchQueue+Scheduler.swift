import Dispatch

extension DispatchQueue: Scheduler {
  public var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let slot = SubscriptionSlot()
    let nanoseconds = Int(max(.zero, delay) / .nanoseconds(1))
    asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { if slot.end() { action() } }
    return AnyCancellable(slot)
  }
}
