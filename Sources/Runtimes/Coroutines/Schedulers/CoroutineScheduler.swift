import CContextSwitch
import Dispatch
import Foundation
import Synchronization

/// Where coroutines run. A class of your own becomes one in two lines: only the first requirement is asked for.
///
/// `DispatchQueue` (the main queue too, where a run loop or `dispatchMain()` serves it), `OperationQueue`,
/// ``CoroutinePool`` and ``ImmediateScheduler`` are schedulers. What is scheduled has to run: a coroutine whose turn is
/// dropped, as by `cancelAllOperations()`, never goes on.
///
/// Where it is always the same thread (a ``CoroutinePool``, the main queue, a scheduler with one thread) a coroutine may lock a `Mutex`
/// before and after a suspension; elsewhere use ``CoMutex``.
public protocol CoroutineScheduler: AnyObject, Sendable {
  /// Runs the work soon, once, on a thread of the scheduler's choice.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Calls the coroutine's `run` soon, once, on a thread of the scheduler's choice. A scheduler without this one is given a
  /// closure that does.
  func schedule(_ coroutine: ReadyCoroutine)
}

extension CoroutineScheduler {
  public func schedule(_ coroutine: ReadyCoroutine) { schedule { coroutine.run() } }
}

/// A coroutine that can go on.
public struct ReadyCoroutine: @unchecked Sendable {
  // Invariant: the fiber is claimed, so this is the only one to resume it, and a scheduler runs it once.
  let fiber: FiberPointer

  /// Runs it on this thread until it suspends or ends. Exactly once.
  public func run() { fiber.drive(on: context_thread_current()) }
}

/// What a scheduler that tries orders knows of the coroutines that it keeps.
extension ReadyCoroutine {
  /// It has been told to stop, whether it knows or not.
  package var isCancelled: Bool { fiber.pointee.isCancelled.load(ordering: .relaxed) }

  /// It has ended; of one that has run, before another is run.
  package var hasEnded: Bool { !fiber.pointee.trace.isLive.load(ordering: .relaxed) }

  /// It goes on because the last coroutine of its only scope has ended.
  package var hasJoined: Bool {
    fiber.pointee.trace.site.subject == AwaitSite.children.subject
      && fiber.pointee.gate.load(ordering: .relaxed) & Gate.cancelled == 0
      && fiber.pointee.scope?.isInner != true
  }

  /// The mark of who ran it last; 0: it had none.
  package var mark: UInt { fiber.pointee.worker }

  /// Runs `body`, and leaves a mark on all coroutines that go on in it. Not on a pool's thread: its workers have marks of their own.
  package static func marking(_ mark: UInt, _ body: () -> Void) {
    let thread = context_thread_current()
    thread.pointee.pool_worker = mark
    body()
    thread.pointee.pool_worker = 0
  }
}

extension DispatchQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

extension OperationQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { addOperation(work) }
}

extension CoroutineScheduler where Self == DispatchQueue {
  /// The main queue.
  public static var main: DispatchQueue { .main }
}

/// Runs coroutines on the thread that starts them or makes them ready, at once: the same as no scheduler.
public final class ImmediateScheduler: CoroutineScheduler {
  /// The only one that there is.
  public static let shared = ImmediateScheduler()

  private init() {}

  public func schedule(_ work: @escaping @Sendable () -> Void) { work() }

  public func schedule(_ coroutine: ReadyCoroutine) { coroutine.fiber.driveInTurn() }
}

extension CoroutineScheduler where Self == ImmediateScheduler {
  /// The thread that starts a coroutine or makes it ready.
  public static var immediate: ImmediateScheduler { .shared }
}

extension Coroutine {
  /// Starts a coroutine on a scheduler, as in `Coroutine.start(on: .main) { … }`.
  @discardableResult
  @inlinable public static func start<Value: Sendable>(
    on scheduler: some CoroutineScheduler, name: String? = nil, stackByteCount: Int? = nil,
    _ body: consuming @escaping @Sendable () throws -> Value
  ) -> CoFuture<Value> {
    start(on: scheduler as (any CoroutineScheduler)?, name: name, stackByteCount: stackByteCount, body)
  }

  /// Runs `body` on another scheduler and comes back with its result; inside a coroutine.
  ///
  /// `body` is no coroutine: it may block the thread, and does not suspend. Cancelled before it begins, it never does and
  /// this throws `CancellationError`; once it has begun, its result is waited for.
  @inlinable public static func await<Value: Sendable>(
    on scheduler: some CoroutineScheduler, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    try withContinuation(cancel: { (errand: Errand<Value>) in errand.cancel() }, file: file, line: line) {
      let errand = Errand($0, body)
      scheduler.schedule { errand.run() }
      return errand
    }
  }

  /// Goes on on another scheduler from here; nil: on the threads that make it ready. Inside a coroutine, for it alone.
  public static func move(to scheduler: (any CoroutineScheduler)?) {
    let fiber = FiberPointer.current(for: "move")
    fiber.pointee.scheduler = scheduler
    fiber.leave(.yielded)
  }
}

/// Work that a coroutine waits for, and that never begins once it is cancelled.
@usableFromInline final class Errand<Value: Sendable>: Sendable {
  private let isTaken = Atomic<Bool>(false)
  private let continuation: CoContinuation<Value>
  private let body: @Sendable () throws -> Value

  @usableFromInline init(
    _ continuation: CoContinuation<Value>, _ body: @escaping @Sendable () throws -> Value
  ) {
    self.continuation = continuation
    self.body = body
  }

  @usableFromInline func run() {
    if isTaken.exchange(true, ordering: .relaxed) { return }
    // The coroutine may be cancelled, and not have come to cancel this.
    if continuation.answer.suspension.isCancelled {
      continuation.resume(throwing: CancellationError())
    } else {
      continuation.resume(with: Result { try body() })
    }
  }

  @usableFromInline func cancel() {
    if !isTaken.exchange(true, ordering: .relaxed) { continuation.resume(throwing: CancellationError()) }
  }
}
