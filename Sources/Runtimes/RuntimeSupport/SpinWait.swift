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

/// How long to wait before each further attempt.
public struct Backoff: Sendable {
  /// The wait before the second attempt.
  public var first: Duration
  /// What each wait is multiplied by to give the next; one that is negative or no number counts as 0.
  public var factor: Double
  /// No wait is longer than this.
  public var longest: Duration

  /// No wait at all.
  public static let none = Backoff(first: .zero, factor: 1, longest: .zero)

  /// Waits that double up to half a minute, unless the other two say more.
  public init(first: Duration, factor: Double = 2, longest: Duration = .seconds(30)) {
    self.first = first
    self.factor = factor
    self.longest = longest
  }

  /// The wait after that many failed attempts, from 1.
  public func delay(afterFailure count: Int) -> Duration {
    var delay = first
    // Attempts without a wait would otherwise take the square of their number.
    for _ in 1..<max(count, 1) {
      guard delay > .zero, delay < longest else { break }
      // The product may be more than a duration can be.
      let next = longest / delay <= factor ? longest : delay * (factor > 0 ? factor : 0)
      if next == delay { break }
      delay = next
    }
    return min(delay, longest)
  }
}
