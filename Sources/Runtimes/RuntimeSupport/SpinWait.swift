#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A wait for another thread that needs only a few more stores to make a condition true.
///
/// The wait yields after each check. After `yieldLimit` checks it sleeps instead, because a thread of higher priority must not
/// keep the processor from the thread that it waits for.
public struct SpinWait {
  private var yieldCount = 0

  /// The number of checks before the wait starts to sleep.
  public static let yieldLimit = 100

  public init() {}

  /// Yields or sleeps. Call it between two checks.
  public mutating func pause() {
    if yieldCount < Self.yieldLimit {
      yieldCount += 1
      yieldProcessor()
    } else {
      sleepProcessor(microseconds: 50)
    }
  }

  /// Waits until the condition is true.
  public static func until(_ condition: () -> Bool) {
    var wait = SpinWait()
    while !condition() { wait.pause() }
  }
}

/// Yields the processor to another thread.
public func yieldProcessor() { _ = sched_yield() }

/// Sleeps, so that other threads can run whatever their priority.
public func sleepProcessor(microseconds: UInt32) { _ = usleep(microseconds) }
