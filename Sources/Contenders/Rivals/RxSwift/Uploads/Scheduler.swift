#if RxSwift
  import Dispatch
  import RxSwift

  /// Where threads compute or are blocked.
  var background: ConcurrentDispatchQueueScheduler { ConcurrentDispatchQueueScheduler(queue: .global()) }

  extension DispatchTimeInterval {
    /// Whole nanoseconds, from none to those of a century.
    init(_ duration: Duration) {
      let bounded = min(max(duration, .zero), .seconds(100 * 365 * 86_400))
      self = .nanoseconds(Int(bounded / .nanoseconds(1)))
    }
  }
#endif
