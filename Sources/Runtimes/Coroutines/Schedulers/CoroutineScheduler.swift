import CContextSwitch
import Dispatch
import Foundation
import Synchronization

/// Threads or a queue that run coroutines. To conform, a class needs only the method `scheduleTask`.
///
///     extension RenderThread: CoroutineScheduler {
///       func scheduleTask(_ task: @escaping @Sendable () -> Void) { enqueue(task) }
///     }
///
/// `DispatchQueue` (also the main queue, if a run loop or `dispatchMain()` serves it), `OperationQueue` and ``CoroutinePool``
/// are schedulers. A coroutine may lock a `Mutex` before and after a suspension only if it always resumes on the same thread:
/// in a pool, on the main queue, or on a scheduler with one thread. Elsewhere use `NSLock`.
@preconcurrency public protocol CoroutineScheduler: AnyObject, Sendable {
  /// Calls the task once, soon, on a thread that the scheduler chooses.
  ///
  /// If the scheduler releases a task without a call, a coroutine that has not begun fails with ``CoroutineError/dropped``. A
  /// coroutine that has begun is cancelled, and continues to its end on a global dispatch queue.
  func scheduleTask(_ task: @escaping @Sendable () -> Void)

  /// Schedules a ready coroutine, whose `run` must be called once. The default uses `scheduleTask`; do not implement this.
  func schedule(_ coroutine: ReadyCoroutine)
}

extension CoroutineScheduler {
  public func schedule(_ coroutine: ReadyCoroutine) {
    let turn = Turn(of: coroutine)
    scheduleTask { turn.take() }
  }

  /// Starts a coroutine on this scheduler.
  ///
  /// An error of `task` ends the coroutine and has no other effect. On the main queue, the coroutine begins when the queue
  /// reaches it; in the library SwiftCoroutine, it begins immediately if it is started on the main thread.
  ///
  /// - Parameters:
  ///   - scope: the scope that cancels the coroutine. If the scope was cancelled, the coroutine never begins.
  ///   - task: the body of the coroutine.
  @available(swift, introduced: 6)
  public func startCoroutine(in scope: CoScope? = nil, task: sending @escaping () throws -> Void) {
    start(CoFuture(running: task), in: scope)
  }

  /// Starts a coroutine of the main actor on the main queue: `DispatchQueue.main.startCoroutine { @MainActor in … }`. On any
  /// other scheduler, the process ends with a message.
  public func startCoroutine(
    in scope: CoScope? = nil, onMainActor task: @escaping @MainActor @Sendable () throws -> Void
  ) {
    let body: @Sendable () throws -> Void = {
      guard MainQueue.isCurrent else {
        fatalError(
          "a @MainActor closure cannot start on this scheduler: call DispatchQueue.main.startCoroutine")
      }
      try MainActor.assumeIsolated { try task() }
    }
    start(CoFuture(running: body), in: scope)
  }

  /// Starts a coroutine in Swift 5 mode, where a closure inherits the actor of its context.
  @available(swift, obsoleted: 6)
  public func startCoroutine(in scope: CoScope? = nil, task: @escaping () throws -> Void) {
    // The compiler does not check the captures of `task`, as in the library SwiftCoroutine.
    nonisolated(unsafe) let task = task
    start(CoFuture(running: task), in: scope)
  }

  private func start(_ coroutine: CoFuture<Void>, in scope: CoScope?) {
    scope?.add(coroutine)
    coroutine.start(on: self, name: nil, stackByteCount: nil)
  }

  /// Starts a coroutine on this scheduler and returns the future of its result. Cancelling the future cancels the coroutine;
  /// the future is resolved when the coroutine has ended (in the library SwiftCoroutine: immediately).
  @discardableResult @inlinable public func coroutineFuture<Value: Sendable>(
    _ task: sending @escaping () throws -> Value
  ) -> CoFuture<Value> {
    let coroutine = CoFuture(running: task)
    coroutine.start(on: self, name: nil, stackByteCount: nil)
    return coroutine
  }

  /// Runs `task` on this scheduler while the running coroutine waits, and returns its result. Call it inside a coroutine.
  ///
  /// If the coroutine is cancelled before `task` begins, `task` never begins and the call throws `CancellationError`. Once
  /// `task` has begun, the call waits for its result. Unlike in the library SwiftCoroutine, `task` is not a coroutine: it may
  /// block the thread and use all of its stack, but cannot await.
  public func await<Value>(_ task: sending () throws -> Value) throws -> sending Value {
    try withoutActuallyEscaping(task) { task in
      let result = try Coroutine.withContinuation(cancel: { (errand: Errand<Value>) in errand.cancel() }) {
        let errand = Errand(task, $0)
        let turn = ErrandTurn(of: errand)
        scheduleTask { turn.take() }
        return errand
      }
      return result.value
    }
  }
}

/// A coroutine that is ready to continue.
public struct ReadyCoroutine: @unchecked Sendable {
  // Invariant: the coroutine's wait has ended, so only this value may resume it, and a scheduler runs it once.
  let fiber: FiberPointer

  /// Runs the coroutine on this thread until it suspends or ends. Call it exactly once.
  public func run() { fiber.drive(on: context_thread_current()) }
}

/// A ready coroutine for a scheduler that takes only closures. If the scheduler releases the closure without a call, the
/// coroutine is cancelled and continues on a global queue, because only the coroutine itself can unwind its stack.
private final class Turn: @unchecked Sendable {
  // Invariant: the scheduler calls `take` once, or releases this object without a call.
  private var coroutine: ReadyCoroutine?

  init(of coroutine: ReadyCoroutine) { self.coroutine = coroutine }

  deinit {
    guard let coroutine else { return }
    coroutine.fiber.pointee.scheduler = nil
    coroutine.fiber.cancelFromOutside()
    DispatchQueue.global().async { coroutine.run() }
  }

  func take() { coroutine.take()?.run() }
}

/// Members for a test scheduler that tries every order in which coroutines can run.
extension ReadyCoroutine {
  /// Whether the coroutine was cancelled, even if its waits have not thrown `CancellationError` yet.
  package var isCancelled: Bool { fiber.pointee.isCancelled.load(ordering: .relaxed) }

  /// The number passed to the `marking` call in which the coroutine last ran. 0 means none.
  package var mark: UInt { fiber.pointee.worker }

  /// Runs `body`, and sets the mark of all coroutines that run in it. Do not call it on a thread of a `CoroutinePool`.
  package static func marking(_ mark: UInt, _ body: () -> Void) {
    let thread = context_thread_current()
    thread.pointee.pool_worker = mark
    body()
    thread.pointee.pool_worker = 0
  }
}

extension DispatchQueue: CoroutineScheduler {
  public func scheduleTask(_ task: @escaping @Sendable () -> Void) { async(execute: task) }
}

extension OperationQueue: CoroutineScheduler {
  public func scheduleTask(_ task: @escaping @Sendable () -> Void) { addOperation(task) }
}

extension Coroutine {
  /// Moves the calling coroutine to another scheduler. `nil` means that the coroutine runs on the threads that make it ready.
  /// Call it inside a coroutine.
  public static func move(to scheduler: (any CoroutineScheduler)?) {
    let fiber = FiberPointer.current(for: "move")
    fiber.pointee.scheduler = scheduler
    fiber.leave(.yielded)
  }
}

/// The closure that a coroutine passed to `scheduler.await`. If the coroutine is cancelled first, the closure never runs.
private final class Errand<Value>: @unchecked Sendable {
  // Invariant: only the caller for which `take` returned true touches `work`, and releases it before the coroutine continues.
  // So `work` does not escape.
  private let isTaken = Atomic<Bool>(false)
  private var work: (() throws -> Value)?
  private let continuation: CoContinuation<Transferred<Value>>

  init(_ work: @escaping () throws -> Value, _ continuation: CoContinuation<Transferred<Value>>) {
    self.work = work
    self.continuation = continuation
  }

  func run() {
    // The coroutine may have been cancelled although `cancel` has not been called yet.
    if continuation.answer.suspension.isCancelled { return cancel() }
    if take() { end(Result { Transferred(value: try work!()) }) }
  }

  func cancel() { if take() { end(.failure(CancellationError())) } }

  func drop() { if take() { end(.failure(CoroutineError.dropped)) } }

  private func take() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

  private func end(_ result: Result<Transferred<Value>, any Error>) {
    work = nil
    continuation.resume(with: result)
  }
}

/// Runs an `Errand` on a scheduler. If the scheduler releases this object first, the waiting coroutine receives an error.
private final class ErrandTurn<Value>: Sendable {
  private let errand: Errand<Value>

  init(of errand: Errand<Value>) { self.errand = errand }

  deinit { errand.drop() }

  func take() { errand.run() }
}

/// `@unchecked Sendable`: one thread makes the value, and then one thread takes it.
private struct Transferred<Value>: @unchecked Sendable { let value: Value }

/// Checks whether this is the main actor's thread, because the runtime's check would end the process without a message.
private enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}
