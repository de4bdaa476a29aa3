import CContextSwitch
import Dispatch
import Foundation
import Synchronization

/// Where coroutines run. A class of your own conforms with one method.
///
///     extension RenderThread: CoroutineScheduler {
///       func scheduleTask(_ task: @escaping @Sendable () -> Void) { enqueue(task) }
///     }
///
/// `DispatchQueue` (also the main queue, where a run loop or `dispatchMain()` serves it), `OperationQueue` and
/// ``CoroutinePool`` are schedulers. If its thread is always the same (a pool, the main queue, a scheduler with one thread), a
/// coroutine may lock a `Mutex` before and after a suspension; elsewhere use `NSLock`.
@preconcurrency public protocol CoroutineScheduler: AnyObject, Sendable {
  /// Calls the task soon, once, on a thread of the scheduler's choice.
  ///
  /// If it releases a task without a call, a coroutine that has not begun fails with ``CoroutineError/dropped``; one that has
  /// begun is cancelled, and goes on on a global dispatch queue to its end.
  func scheduleTask(_ task: @escaping @Sendable () -> Void)

  /// Runs a coroutine that goes on, by its `run`. By default this calls `scheduleTask`; do not override it.
  func schedule(_ coroutine: ReadyCoroutine)
}

extension CoroutineScheduler {
  public func schedule(_ coroutine: ReadyCoroutine) {
    let turn = Turn(of: coroutine)
    scheduleTask { turn.take() }
  }

  /// Starts a coroutine here.
  ///
  /// An error of `task` only ends the coroutine. On the main queue it begins when the queue gets to it; SwiftCoroutine's begins
  /// at once if it is called on the main thread.
  ///
  /// - Parameters:
  ///   - scope: what it is added to; its coroutines never begin once it was cancelled.
  ///   - task: the body of the coroutine.
  @available(swift, introduced: 6)
  public func startCoroutine(in scope: CoScope? = nil, task: sending @escaping () throws -> Void) {
    start(CoFuture(running: task), in: scope)
  }

  /// Starts a task of the main actor, on the main queue: `DispatchQueue.main.startCoroutine { @MainActor in … }`. Elsewhere it
  /// ends the process with a message.
  public func startCoroutine(
    in scope: CoScope? = nil, onMainActor task: @escaping @MainActor @Sendable () throws -> Void
  ) {
    let body: @Sendable () throws -> Void = {
      guard MainQueue.isCurrent else {
        fatalError("startCoroutine of a @MainActor closure elsewhere than on DispatchQueue.main")
      }
      try MainActor.assumeIsolated { try task() }
    }
    start(CoFuture(running: body), in: scope)
  }

  /// In Swift 5 mode, a task has the actor of its context, as any closure there.
  @available(swift, obsoleted: 6)
  public func startCoroutine(in scope: CoScope? = nil, task: @escaping () throws -> Void) {
    // As in SwiftCoroutine, nothing checks what it captures.
    nonisolated(unsafe) let task = task
    start(CoFuture(running: task), in: scope)
  }

  private func start(_ coroutine: CoFuture<Void>, in scope: CoScope?) {
    scope?.add(coroutine)
    coroutine.start(on: self, name: nil, stackByteCount: nil)
  }

  /// Starts a coroutine here and returns the future of its result. Cancelling the future cancels the coroutine, and the future
  /// is resolved when that has ended: SwiftCoroutine's is at once.
  @discardableResult @inlinable public func coroutineFuture<Value: Sendable>(
    _ task: sending @escaping () throws -> Value
  ) -> CoFuture<Value> {
    let coroutine = CoFuture(running: task)
    coroutine.start(on: self, name: nil, stackByteCount: nil)
    return coroutine
  }

  /// Runs `task` here, while the running coroutine waits, and returns its result; inside a coroutine.
  ///
  /// If it is cancelled before it begins, it never does, and this throws `CancellationError`; once it has begun, this waits for
  /// its result. Unlike SwiftCoroutine's, `task` is not a coroutine: it may block the thread and use all of its stack, and
  /// cannot await.
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

/// A coroutine that is ready to go on.
public struct ReadyCoroutine: @unchecked Sendable {
  // Invariant: the fiber is claimed, so this is the only one to resume it, and a scheduler runs it once.
  let fiber: FiberPointer

  /// Runs it on this thread until it suspends or ends. Exactly once.
  public func run() { fiber.drive(on: context_thread_current()) }
}

/// A coroutine's turn on a scheduler that takes only closures. If the scheduler drops it, the coroutine is cancelled and goes
/// on elsewhere: its stack cannot be unwound from outside.
private final class Turn: @unchecked Sendable {
  // Invariant: the scheduler takes it once or drops it.
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

/// For a scheduler that explores orders.
extension ReadyCoroutine {
  /// It has been cancelled, even if it has not noticed.
  package var isCancelled: Bool { fiber.pointee.isCancelled.load(ordering: .relaxed) }

  /// The mark left by what ran it last; 0: none.
  package var mark: UInt { fiber.pointee.worker }

  /// Runs `body`, and leaves a mark on all coroutines that run in it. Not on a pool's thread: its workers have marks of their
  /// own.
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
  /// Continues the calling coroutine on another scheduler; nil: on the threads that make it ready. Inside a coroutine.
  public static func move(to scheduler: (any CoroutineScheduler)?) {
    let fiber = FiberPointer.current(for: "move")
    fiber.pointee.scheduler = scheduler
    fiber.leave(.yielded)
  }
}

/// Work that a coroutine waits for, and that never begins once it is cancelled.
private final class Errand<Value>: @unchecked Sendable {
  // Invariant: only the taker touches `work`, and releases it before the coroutine goes on: it does not escape.
  private let isTaken = Atomic<Bool>(false)
  private var work: (() throws -> Value)?
  private let continuation: CoContinuation<Transferred<Value>>

  init(_ work: @escaping () throws -> Value, _ continuation: CoContinuation<Transferred<Value>>) {
    self.work = work
    self.continuation = continuation
  }

  func run() {
    // The coroutine may be cancelled before it calls `cancel` here.
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

/// An errand's turn on its scheduler, which may drop it.
private final class ErrandTurn<Value>: Sendable {
  private let errand: Errand<Value>

  init(of errand: Errand<Value>) { self.errand = errand }

  deinit { errand.drop() }

  func take() { errand.run() }
}

/// `@unchecked Sendable`: one thread makes it, and one thread after it takes it.
private struct Transferred<Value>: @unchecked Sendable { let value: Value }

/// Whether the code runs on the main actor: otherwise the runtime would end the process without a message.
private enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}
