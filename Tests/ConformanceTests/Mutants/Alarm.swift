import Dispatch
import Synchronization
import UploadScenario

/// A timer that releases its closure once it has fired or is cancelled.
final class Alarm: Cancellable {
  private let source: Mutex<(any DispatchSourceTimer)?>
  private let isStubborn = Atomic<Bool>(false)

  init() { source = Mutex(nil) }

  /// Without a queue, calls come on any thread and may overlap.
  init(
    _ delay: Duration, repeats: Bool = false, on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void
  ) {
    let (seconds, attoseconds) = delay.components
    let interval = DispatchTimeInterval.nanoseconds(
      Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    let timer = DispatchSource.makeTimerSource(queue: queue ?? DispatchQueue(label: "alarm"))
    timer.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    timer.setEventHandler { if queue == nil { DispatchQueue.global().async(execute: body) } else { body() } }
    timer.activate()
    source = Mutex(timer)
  }

  func stubborn(_ isStubborn: Bool) -> Self {
    self.isStubborn.store(isStubborn, ordering: .relaxed)
    return self
  }

  func cancel() {
    guard !isStubborn.load(ordering: .relaxed) else { return }
    source.withLock { source in
      source?.setEventHandler(handler: nil)
      source?.cancel()
      source = nil
    }
  }

  deinit { cancel() }
}

/// Beats once more when the third beat, or a later one, cancels it.
final class BeatsOnceMore: Cancellable {
  private let state = Mutex((begun: 0, isInside: false, isCancelled: false))
  private let alarm = Mutex<Alarm?>(nil)
  private let beat: Mutex<(@Sendable () -> Void)?>

  init(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
    self.beat = Mutex(beat)
    let alarm = Alarm(interval, repeats: true, on: DispatchQueue(label: "beats")) { [self] in
      state.withLock { ($0.begun, $0.isInside) = ($0.begun + 1, true) }
      self.beat.withLock { $0 }?()
      state.withLock { $0.isInside = false }
    }
    self.alarm.withLock { $0 = alarm }
  }

  func cancel() {
    alarm.withLock { $0.take() }?.cancel()
    let isFlawed = state.withLock { state in
      defer { state.isCancelled = true }
      return state.isInside && state.begun >= 3 && !state.isCancelled
    }
    let beat = beat.withLock { $0.take() }
    guard isFlawed, let beat else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1), execute: beat)
  }
}
