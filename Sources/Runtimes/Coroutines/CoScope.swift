import Synchronization

/// A scope that its coroutines cannot outlive.
///
/// `run` returns when every coroutine started in the scope has finished. The first one that throws cancels the others,
/// and its error is what `run` throws. Cancelling the coroutine that runs the scope cancels all in it.
public final class CoScope: Sendable {
  private struct State {
    var firstError: (any Error)?
    var count = 0
    /// The scope's coroutines, linked through themselves: each leaves in constant time.
    var lastChild: Coroutine?
    /// Wakes the owner when the count falls to `target`.
    var waiter: (target: Int, wake: @Sendable (Result<Void, any Error>) -> Void)?
  }

  @usableFromInline let scheduler: (any CoroutineScheduler)?
  @usableFromInline let limit: Int
  private let state = Mutex(State())

  @usableFromInline init(scheduler: (any CoroutineScheduler)?, limit: Int) {
    self.scheduler = scheduler
    self.limit = limit
  }

  /// Runs `body` in a new scope; inside a coroutine.
  ///
  /// - Parameters:
  ///   - scheduler: where the scope's coroutines run; nil: at once.
  ///   - limit: at most so many of them at any moment; nil: no limit.
  @inlinable
  public static func run<Value>(
    on scheduler: (any CoroutineScheduler)? = nil, limit: Int? = nil, _ body: (CoScope) throws -> Value
  ) throws -> Value {
    guard let owner = Coroutine.current else {
      preconditionFailure("CoScope.run was called outside of a coroutine")
    }
    let scope = CoScope(scheduler: scheduler, limit: max(1, limit ?? .max))
    let id = owner.cancellation.add { scope.fail(CancellationError()) }
    defer { owner.cancellation.remove(id) }
    let result = Result { try body(scope) }
    if case .failure(let error) = result { scope.fail(error) }
    scope.waitUntil(count: 0)
    if let error = scope.firstError { throw error }
    return try result.get()
  }

  /// Starts a coroutine in the scope; waits first while the scope is at its limit.
  ///
  /// - Throws: the scope's error if it has failed or was cancelled: then nothing starts.
  @inlinable
  public func async<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> CoFuture<Value>
  {
    waitUntil(count: limit - 1)
    let future = CoFuture<Value>()
    let coroutine = Coroutine(scheduler: scheduler) { [self] in
      let result = Result { try body() }
      if case .failure(let error) = result { fail(error) }
      future.complete(result)
      leave(Coroutine.current!)
    }
    try enter(coroutine)
    coroutine.launch()
    return future
  }

  /// Cancels everything in the scope; `run` throws `CancellationError`.
  public func cancel() { fail(CancellationError()) }

  @usableFromInline var firstError: (any Error)? { state.withLock { $0.firstError } }

  @usableFromInline func fail(_ error: any Error) {
    let children = state.withLock { state -> [Coroutine] in
      guard state.firstError == nil else { return [] }
      state.firstError = error
      var children: [Coroutine] = []
      var next = state.lastChild
      while let child = next {
        children.append(child)
        next = child.previousSibling
      }
      return children
    }
    // In the order in which they were started.
    for child in children.reversed() { child.cancel() }
  }

  /// Takes a coroutine in, unless the scope has failed.
  @usableFromInline func enter(_ coroutine: Coroutine) throws {
    try state.withLock { state in
      if let error = state.firstError { throw error }
      state.count += 1
      coroutine.previousSibling = state.lastChild
      state.lastChild?.nextSibling = coroutine
      state.lastChild = coroutine
    }
  }

  @usableFromInline func leave(_ coroutine: Coroutine) {
    let wake = state.withLock { state -> (@Sendable (Result<Void, any Error>) -> Void)? in
      let (previous, next) = (coroutine.previousSibling, coroutine.nextSibling)
      coroutine.previousSibling = nil
      coroutine.nextSibling = nil
      previous?.nextSibling = next
      next?.previousSibling = previous
      if next == nil { state.lastChild = previous }
      state.count -= 1
      guard let waiter = state.waiter, state.count <= waiter.target else { return nil }
      state.waiter = nil
      return waiter.wake
    }
    wake?(.success(()))
  }

  /// Only the scope's owner waits, and it cannot fail.
  @usableFromInline func waitUntil(count target: Int) {
    guard state.withLock({ $0.count > target }) else { return }
    try? Coroutine.await { (wake: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void in
      let isThere = state.withLock { state in
        if state.count <= target { return true }
        state.waiter = (target, wake)
        return false
      }
      if isThere { wake(.success(())) }
    }
  }
}
