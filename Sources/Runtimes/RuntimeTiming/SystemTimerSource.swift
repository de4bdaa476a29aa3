import Dispatch

/// The machine's monotonic clock, and one Dispatch source for all timers: arming a heap's first is cheaper than a source for each.
///
/// The source is set for the first deadline, and left alone by cancellations: it may wake for nothing.
///
/// `@unchecked Sendable`: `armedNanoseconds` is touched under the heap's lock, and a Dispatch source may be used from any
/// thread.
final class SystemTimerSource: TimerSource, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  /// The deadline that the source is set for.
  @exclusivity(unchecked) private var armedNanoseconds = Int64.max

  override init() {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue(label: "runtime-timers"))
    super.init()
    source.setEventHandler { [unowned self] in fireDue() }
    source.activate()
  }

  override var nowNanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  override func insert(_ timer: OneShotTimer) {
    heap.withLock {
      $0.insert(timer)
      if timer.deadlineNanoseconds < armedNanoseconds { arm(timer.deadlineNanoseconds) }
    }
  }

  /// Callbacks may take long, or block: each has a place of its own on its queue.
  private func fireDue() {
    let now = nowNanoseconds
    var due: [OneShotTimer] = []
    heap.withLock {
      while let timer = $0.removeFirst(dueBy: now) { due.append(timer) }
      if let next = $0.firstDeadlineNanoseconds { arm(next) } else { armedNanoseconds = .max }
    }
    for timer in due { timer.queue.async { timer.fire() } }
  }

  /// Only under the heap's lock, so that whoever comes last sets the source right.
  private func arm(_ deadlineNanoseconds: Int64) {
    armedNanoseconds = deadlineNanoseconds
    // Dispatch takes 0 for now and the highest value for never.
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadlineNanoseconds))),
      leeway: .nanoseconds(0))
  }
}
