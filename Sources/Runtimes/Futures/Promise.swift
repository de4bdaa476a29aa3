public import RuntimeSupport
import Synchronization

/// The producer's end of a future.
///
/// Only the first completion has an effect; later ones return false. If a promise is deallocated before it is completed, the
/// future fails with ``FutureError/promiseAbandoned``. A promise may be used from any thread.
public final class Promise<Value: Sendable>: Sendable {
  /// The consumer's end. The future does not retain the promise.
  public let future: Future<Value>

  /// Creates a promise whose future is pending.
  @inlinable public init() { future = PromisedFuture() }

  deinit {
    if !future.isComplete { abandon() }
  }

  private func abandon() { future.fail(FutureError.promiseAbandoned) }

  /// Completes the future with a value and calls its callbacks on this thread. Returns false if the future is already complete.
  @inlinable @discardableResult public func succeed(_ value: Value) -> Bool { future.succeed(value) }

  /// Completes the future with an error and calls its callbacks on this thread.
  @inlinable @discardableResult public func fail(_ error: any Error) -> Bool { future.fail(error) }

  /// Completes the future with a result and calls its callbacks on this thread.
  @inlinable @discardableResult
  public func complete(with result: Result<Value, any Error>) -> Bool { future.complete(with: result) }

  /// Calls the handler once if the future is cancelled: on the cancelling thread, or immediately if it is already cancelled.
  /// The handler is released when the future completes, so the handler may refer to the work that holds the promise.
  @inlinable public func onCancel(_ handler: consuming @escaping @Sendable () -> Void) {
    unsafeDowncast(future, to: PromisedFuture<Value>.self).setCancelHandler(CancelClosure(handler)) {
      $0.call()
    }
  }

  /// Calls `cancel` with a handle of the work to stop, such as a request, if the future is cancelled. The handle is an
  /// autoclosure, because opening an existential argument would allocate.
  @inlinable @inline(__always) public func onCancel<Handle: Sendable>(
    _ handle: @autoclosure () -> Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    unsafeDowncast(future, to: PromisedFuture<Value>.self).setCancelHandler(handle(), cancel)
  }

  /// Whether the future has been cancelled. A result then has no effect.
  public var isCancelled: Bool { future.isCancelled }
}

extension Future {
  /// Calls `start` with a new promise, which the started work must complete. Returns the promise's future.
  @inlinable public static func make(_ start: (Promise<Value>) throws -> Void) -> Future {
    let promise = Promise<Value>()
    do { try start(promise) } catch { promise.fail(error) }
    return promise.future
  }
}

/// The future of a promise. It stores the first cancel handler itself, so that the handler needs no list node.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the thread that has set `StateWord.handler` until `isHandlerReady` is
/// set, then to the thread that completes the future.
@usableFromInline final class PromisedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var cancelHandler = CancelHandler()

  @inlinable init() {
    super.init(role: .observer) { node, _ in
      unsafeDowncast(node, to: Future<Value>.self).runCallback()
    }
  }

  @inlinable @inline(__always) func setCancelHandler<Handle: Sendable>(
    _ handle: consuming Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    guard takeSlot(StateWord.handler, if: { !$0.has(StateWord.handler) }) else {
      return addCancelHandler(CancelClosure(handle, cancel))
    }
    cancelHandler.set(handle, cancel)
    keepRetainsAhead()
    isHandlerReady.store(true, ordering: .releasing)
  }

  @usableFromInline
  func addCancelHandler(_ handler: CancelClosure) { connect(CancelHandlerNode(handler.call)) }

  @usableFromInline override func takeCancelHandler() {
    if !isHandlerReady.load(ordering: .acquiring) {
      SpinWait.until { isHandlerReady.load(ordering: .acquiring) }
    }
    cancelHandler.end(isCancelled: isCancelled)
  }
}

/// Stores a further cancel handler of a promise, as an observer of the promise's future.
private final class CancelHandlerNode: AnyFuture, @unchecked Sendable {
  private let handler: @Sendable () -> Void

  init(_ handler: @escaping @Sendable () -> Void) {
    self.handler = handler
    super.init(role: .passive) { node, source in
      if source.isCancelled { unsafeDowncast(node, to: CancelHandlerNode.self).handler() }
      return .noWaiters
    }
  }
}

/// Failures that this library itself produces.
public enum FutureError: Error, Equatable, Sendable {
  /// The promise was deallocated before its future completed.
  case promiseAbandoned
  /// The time limit of `timeout` passed before the work ended.
  case timedOut
  /// `any` or `race` was called without futures.
  case noFutures
  /// All futures of `any` failed. The errors are in the order of the futures.
  case allFailed(ErrorList)
  /// The function of `flatMap` returned the future of that `flatMap`, which would never complete. Longer cycles go undetected.
  case waitsForItself
}
