#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The wait for another thread that is a few stores away from making a condition true.
///
/// It yields, and after `yieldLimit` checks sleeps between them: a thread of higher priority must not keep the processor from
/// the thread that it waits for.
public struct SpinWait {
  private var yieldCount = 0

  /// How often the condition is checked before the wait starts to sleep.
  public static let yieldLimit = 100
  /// How long it sleeps between two checks then.
  public static let sleepMicroseconds: UInt32 = 50

  public init() {}

  /// Waits a little. Call it between two checks.
  public mutating func pause() {
    if yieldCount < Self.yieldLimit {
      yieldCount += 1
      yieldProcessor()
    } else {
      sleepProcessor(microseconds: Self.sleepMicroseconds)
    }
  }

  /// Returns once the condition is true.
  public static func until(_ condition: () -> Bool) {
    var wait = SpinWait()
    while !condition() { wait.pause() }
  }
}

/// Lets another thread run.
public func yieldProcessor() { _ = sched_yield() }

/// Lets other threads run for some time, whatever their priority.
public func sleepProcessor(microseconds: UInt32) { _ = usleep(microseconds) }
