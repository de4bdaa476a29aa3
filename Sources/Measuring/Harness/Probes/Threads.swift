import RawThreads
import Synchronization

/// Samples the number of threads of the process every 100 µs, without the sampling thread.
final class ThreadSampler: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let peak = Atomic<Int>(0)

  static func threadCount() -> Int? {
    MachineFiles.here.number("Threads:", in: "/proc/self/status").map { Int($0) }
  }

  /// The maximum number of threads during `body`, or `nil` if `body` ended before the first sample.
  static func peak<Value>(during body: () throws -> Value) rethrows -> (Value, Int?) {
    guard threadCount() != nil else { return (try body(), nil) }
    let sampler = ThreadSampler()
    let thread = RawThread(name: "thread sampler") { sampler.watch() }
    defer {
      sampler.isStopped.store(true, ordering: .relaxed)
      thread.join()
    }
    let value = try body()
    let peak = sampler.peak.load(ordering: .relaxed)
    return (value, peak > 0 ? peak : nil)
  }

  private func watch() {
    let pause = Parker()
    while !isStopped.load(ordering: .relaxed) {
      if let count = Self.threadCount() { peak.max(count - 1, ordering: .relaxed) }
      pause.park(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000)
    }
  }
}

extension OtherThreads {
  /// Waits until all other threads sleep, but at most 0.2 s.
  static func waitUntilTheySleep() {
    let deadline = MonotonicClock.nanoseconds() + 200_000_000
    let pause = Parker()
    while allSleep == false, MonotonicClock.nanoseconds() < deadline {
      pause.park(untilNanoseconds: MonotonicClock.nanoseconds() + 50_000)
    }
  }
}
