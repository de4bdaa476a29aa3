import Dispatch
import Foundation

/// The machine's monotonic clock, and one timer source for all that wait for it.
final class SystemTimer: CoTimer, @unchecked Sendable {
  // Invariant: the source is armed under `arming`, for what the heap says then, so whoever comes last arms it right.
  static let shared = SystemTimer()
  private let arming = NSLock()
  private let source: any DispatchSourceTimer

  private override init() {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue(label: "coroutines.timer"))
    super.init()
    source.setEventHandler { [unowned self] in
      while fireFirst(dueByNanoseconds: nowNanoseconds) {}
      firstDeadlineChanged()
    }
    source.activate()
  }

  override var nowNanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  override func firstDeadlineChanged() {
    arming.lock()
    defer { arming.unlock() }
    guard let deadline = firstDeadlineNanoseconds else { return }
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadline))), leeway: .nanoseconds(0))
  }
}
