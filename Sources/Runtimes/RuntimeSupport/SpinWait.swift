#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A busy wait for another thread that needs only a few more stores to make a condition true.
///
/// It yields the processor after each check. After 100 checks it sleeps instead, because yielding does not let a thread of
/// lower priority run.
public struct SpinWait {
  private var yieldCount = 0

  public init() {}

  /// Yields or sleeps. Call it between two checks.
  public mutating func pause() {
    if yieldCount < 100 {
      yieldCount += 1
      yieldProcessor()
    } else {
      sleepProcessor(microseconds: 50)
    }
  }

  public static func until(_ condition: () -> Bool) {
    var wait = SpinWait()
    while !condition() { wait.pause() }
  }
}

public func yieldProcessor() { _ = sched_yield() }

/// Sleeps, so that other threads can run whatever their priority.
public func sleepProcessor(microseconds: UInt32) { _ = usleep(microseconds) }
