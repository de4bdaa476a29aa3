#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The wait for another thread that is a few stores away from making something true.
///
/// It lets other threads run, and after a number of turns sleeps between the looks: a thread of higher priority must not
/// keep the processor from the one it waits for.
public struct SpinWait {
  private var yieldCount = 0

  /// So many looks in a row before the wait starts to sleep.
  public static let yieldLimit = 100
  /// How long it sleeps between two looks from then on.
  public static let sleepMicroseconds: UInt32 = 50

  public init() {}

  /// Waits a little. To be called between two looks.
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

/// Lets other threads run for a while, whatever their priority.
public func sleepProcessor(microseconds: UInt32) { _ = usleep(microseconds) }
