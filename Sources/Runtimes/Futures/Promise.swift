public import RuntimeSupport
import Synchronization

/// The producer's end of a future.
///
/// The first answer counts; later ones return false. When the last reference to a promise goes away without an answer,
/// the future fails with ``FutureError/promiseAbandoned``. May be used from any thread.
public final class Promise<Value: Sendable>: Sendable {
  /// The consumer's end; it does not keep the promise alive.
  public let future: Future<Value>

  /// A promise that has not been answered.
  @inlinable public init() { future = PromisedFuture() }

  deinit {
    if !future.isComplete { abandon() }
  }

  private func abandon() { future.fail(FutureError.promiseAbandoned) }

  /// Answers with a value, unless there is an answer or a cancellation; either way the future is complete afterwards. Calls the
  /// waiting callbacks on this thread.
  @inlinable @discardableResult public func succeed(_ value: Value) -> Bool { future.succeed(value) }

  /// Answers with an error. Calls the waiting callbacks on this thread.
  @inlinable @discardableResult public func fail(_ error: any Error) -> Bool { future.fail(error) }

  /// Answers with the outcome of a result. Calls the waiting callbacks on this thread.
  @inlinable @discardableResult
  public func complete(with result: Result<Value, any Error>) -> Bool { future.complete(with: result) }

  /// Calls the handler once if the future is cancelled before it is answered: on the cancelling thread, or at once if it is
  /// cancelled already. It is released with the answer, so it may refer to the work that holds the promise.
  @inlinable public func onCancel(_ handler: consuming @escaping @Sendable () -> Void) {
    unsafeDowncast(future, to: PromisedFuture<Value>.self).setCancelHandler(CancelClosure(handler)) {
      $0.call()
    }
  }

  /// Calls `cancel` with a handle of the work to stop, such as a request. An autoclosure: an existential would otherwise be
  /// opened, and its type kept in an object.
  @inlinable @inline(__always) public func onCancel<Handle: Sendable>(
    _ handle: @autoclosure () -> Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    unsafeDowncast(future, to: PromisedFuture<Value>.self).setCancelHandler(handle(), cancel)
  }

  /// Whether the answer is not wanted any more.
  public var isCancelled: Bool { future.isCancelled }
}

extension Future {
  /// Starts work that answers a promise, and returns the promise's future.
  @inlinable public static func make(_ start: (Promise<Value>) throws -> Void) -> Future {
    let promise = Promise<Value>()
    do { try start(promise) } catch { promise.fail(error) }
    return promise.future
  }
}

/// The future of a promise. It has a slot for a first cancel handler, so that it needs no node.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the taker of its slot until `isHandlerReady`, then to the
/// thread that completes the future.
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

/// A cancel handler beyond the first.
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
  /// The last reference to the promise went away before it was answered.
  case promiseAbandoned
  /// The deadline given to `timeout` passed first.
  case timedOut
  /// `any` or `race` was given no future to choose from.
  case noFutures
  /// Every future given to `any` failed; the errors are in the order of the futures.
  case allFailed(ErrorList)
  /// `flatMap` returned the very future that it made, which would never complete. A longer circle is not detected.
  case waitsForItself
}
