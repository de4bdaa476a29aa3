// Combine's schedulers have times and options of their own; ours have durations.
import ReactiveStreams

public protocol SchedulerTimeIntervalConvertible {
  static func seconds(_ count: Int) -> Self
  static func seconds(_ count: Double) -> Self
  static func milliseconds(_ count: Int) -> Self
  static func microseconds(_ count: Int) -> Self
  static func nanoseconds(_ count: Int) -> Self
}

public protocol Scheduler<SchedulerTimeType> {
  associatedtype SchedulerTimeType: Strideable
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
  associatedtype SchedulerOptions

  var now: SchedulerTimeType { get }
  var minimumTolerance: SchedulerTimeType.Stride { get }
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> Cancellable
}

extension Scheduler {
  public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }
}

/// One of theirs as one of ours. The tests' time is a number of nanoseconds.
private struct Adapted<Context: Scheduler>: ReactiveStreams.Scheduler, @unchecked Sendable {
  let context: Context
  let options: Context.SchedulerOptions?
  let start: Context.SchedulerTimeType

  init(_ context: Context, _ options: Context.SchedulerOptions?) {
    self.context = context
    self.options = options
    start = context.now
  }

  var now: Duration { duration(start.distance(to: context.now)) }

  func schedule(_ action: @escaping @Sendable () -> Void) { context.schedule(options: options, action) }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let (seconds, attoseconds) = delay.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    let timer = Once(action)
    let date = context.now.advanced(by: .nanoseconds(nanoseconds))
    context.schedule(after: date, tolerance: context.minimumTolerance, options: options) { timer.run() }
    return AnyCancellable { timer.cancel() }
  }
}

/// The tests run timers on one thread.
private final class Once: @unchecked Sendable {
  var action: (() -> Void)?
  init(_ action: @escaping () -> Void) { self.action = action }
  func run() { action.take()?() }
  func cancel() { action = nil }
}

private func duration<Stride: SignedNumeric & Comparable>(_ stride: Stride) -> Duration {
  let nanoseconds = (stride.magnitude as! any BinaryInteger).description
  return .nanoseconds(Int64(nanoseconds)! * (stride < .zero ? -1 : 1))
}

extension Publisher {
  public func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> some Publisher<Output, Failure> { receive(on: Adapted(scheduler, options)) }

  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> some Publisher<Output, Failure> { subscribe(on: Adapted(scheduler, options)) }

  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> some Publisher<Output, Failure> {
    delay(for: duration(interval), scheduler: Adapted(scheduler, options))
  }

  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> some Publisher<Output, Failure> {
    debounce(for: duration(dueTime), scheduler: Adapted(scheduler, options))
  }

  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> some Publisher<Output, Failure> {
    throttle(for: duration(interval), scheduler: Adapted(scheduler, nil), latest: latest)
  }

  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> AnyPublisher<Output, Failure> {
    let (interval, adapted) = (duration(interval), Adapted(scheduler, options))
    return if let customError {
      timeout(interval, scheduler: adapted, customError: customError).eraseToAnyPublisher()
    } else {
      timeout(interval, scheduler: adapted).eraseToAnyPublisher()
    }
  }
}
