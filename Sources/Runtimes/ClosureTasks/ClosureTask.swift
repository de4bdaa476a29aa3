public import Dispatch
public import RuntimeSupport

/// Asynchronous work as a value: a closure that receives a controller and reports its outcome through it.
///
/// Nothing happens until `perform`, which calls the closure with a new controller each time. A composition of tasks is also a
/// task, and runs in bounded stack, however many tasks it has. The idiom is from John Sundell's article "Task-based concurrency
/// in Swift"; with `typealias Task = ClosureTask<Void>`, names have the meaning that they have there.
public struct ClosureTask<Output: Sendable>: Sendable {
  /// The controller through which the task's closure reports its outcome.
  public typealias Controller = TaskController<Output>
  /// How a run ended: with a value, or with an error, which is a `CancellationError` after a cancellation.
  public typealias Outcome = Result<Output, any Error>

  @usableFromInline let body: @Sendable (Controller) throws -> Void

  /// Makes a task from a closure. An error thrown by the closure fails the run.
  @inlinable
  public init(_ body: consuming @escaping @Sendable (Controller) throws -> Void) { self.body = consume body }

  /// Makes a task that runs code on a queue. The outcome is what the code returns or throws. A cancelled run skips code that
  /// has not begun, and does not wait for code that has begun.
  public init(on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Output) {
    self.init { controller in
      queue.async {
        if !controller.isEnded { controller.complete(with: Result { try work() }) }
      }
    }
  }

  /// Starts the work on a queue. `nil` means the calling thread.
  ///
  /// The completion is called once, on the thread that ends the run, perhaps the calling thread before `perform` returns.
  @inlinable @discardableResult public func perform(
    on queue: DispatchQueue? = .global(), then completion: consuming @escaping @Sendable (Outcome) -> Void
  ) -> TaskRun {
    let controller = Controller(isPart: false, completion: consume completion)
    if let queue {
      queue.async { run(controller) }
    } else {
      run(controller)
    }
    return controller
  }

  /// Runs the task on a global queue and returns its value. Cancelling the waiting task cancels the run. If the closure
  /// releases its controller without an answer, this throws ``ClosureTaskError/abandoned``.
  public var value: Output {
    get async throws {
      let canceller = TaskRun(isPart: false)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let run = perform { continuation.resume(with: $0) }
          // The reference is weak, so that a controller that is released without an answer ends the run.
          canceller.onCancel { [weak run] in run?.cancel() }
        }
      } onCancel: {
        canceller.cancel()
      }
    }
  }

  /// Runs the closure with this controller, unless its run has ended.
  @inlinable func run(_ controller: Controller) {
    guard !controller.isEnded else { return }
    do { try body(controller) } catch { controller.fail(with: error) }
  }

  /// A task that does the work of this task on a queue. `nil` means the thread where it is performed.
  public func on(_ queue: DispatchQueue?) -> ClosureTask {
    guard let queue else { return self }
    let task = Composed(self)
    return ClosureTask { controller in queue.async { task.parts.run(controller) } }
  }
}

/// How a run of a task without a value ended.
public typealias Outcome = ClosureTask<Void>.Outcome

/// The errors of this library.
public enum ClosureTaskError: Error, Equatable, Sendable {
  /// The closure released its controller without an answer, and nothing else refers to the run.
  case abandoned
  /// The time limit given to `timeout` passed before the task ended.
  case timedOut
  /// Every task given to `any` failed, or `any` or `race` had no tasks. The errors are in the order of the tasks.
  case allFailed(ErrorList)
}

extension ClosureTask {
  /// A task that begins this task after a delay, or immediately if the delay is not positive. A cancellation ends the wait.
  public func delay(for delay: Duration) -> ClosureTask {
    guard delay > .zero else { return self }
    let task = Composed(self)
    return ClosureTask { controller in
      let wait = TimerPart(after: delay) { controller.takeStep { task.parts.run(controller) } }
      if !controller.setPart(wait) { wait.timer.cancel() }
    }
  }

  /// A task that has the outcome of this task, or `error` if that takes longer than `limit`. A timeout cancels this task before
  /// the completion is called. With a limit of zero or less, this task does not begin. `nil` means no limit.
  public func timeout(after limit: Duration?, error: any Error = ClosureTaskError.timedOut) -> ClosureTask {
    guard let limit else { return self }
    guard limit > .zero else { return ClosureTask { $0.fail(with: error) } }
    let task = Composed(self)
    return ClosureTask { controller in
      let limited = Controller(isPart: true) { controller.complete(with: $0) }
      let timer = OneShotTimer(after: limit) {
        // Ends the whole run before its part is cancelled, so that the part's cancellation cannot become the outcome.
        controller.fail(with: error, cancelling: limited)
      }
      var isRunning = false
      if controller.setPart(limited) {
        limited.takeStep {
          isRunning = task.parts.runPart(of: limited) { result in
            timer.cancel()
            limited.complete(with: result)
          }
        }
      }
      if !isRunning {
        timer.cancel()
        limited.drop()
      }
    }
  }

  /// Runs this task until it succeeds, at most `attempts` times (at least 1). Between two attempts it waits for `delay`, which
  /// receives the number of failures so far, from 1.
  ///
  /// The outcome is the first value or the last error. After an error for which `isRetryable` returns false, or after a
  /// cancellation, there is no further attempt.
  public func retry(
    attempts: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration = { _ in .zero },
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> ClosureTask {
    precondition(attempts > 0, "\(attempts) attempts start nothing: pass at least 1")
    return attempt(1, of: attempts, delay, isRetryable)
  }

  private func attempt(
    _ number: Int, of attempts: Int, _ delay: @escaping @Sendable (Int) -> Duration,
    _ isRetryable: @escaping @Sendable (any Error) -> Bool
  ) -> ClosureTask {
    guard number < attempts else { return self }
    return recover { error in
      guard isRetryable(error) else { throw error }
      return attempt(number + 1, of: attempts, delay, isRetryable).delay(for: delay(number))
    }
  }
}

/// A run's wait for a timer. `@unchecked Sendable`: it has only a constant.
private final class TimerPart: TaskPart, @unchecked Sendable {
  let timer: OneShotTimer

  init(after delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    timer = OneShotTimer(after: delay, fire)
    super.init()
  }

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    timer.cancel()
    return nil
  }
}
