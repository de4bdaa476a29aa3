import Synchronization

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
  /// `body` is no coroutine: it may block the scheduler's thread, and does not suspend. If the coroutine is cancelled
  /// before `body` begins, it never does and this throws `CancellationError`; once it has begun, its result is waited for.
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

  /// Goes on on another scheduler from here; nil: on the threads that make it ready. Inside a coroutine.
  ///
  /// Inside a scope the scope's other coroutines stay where they are.
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
