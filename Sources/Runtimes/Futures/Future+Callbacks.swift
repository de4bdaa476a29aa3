import Dispatch
import RuntimeSupport
import Synchronization

extension Future {
  /// Calls `callback` once with the outcome: on the completing thread or, if the future is already complete, on this thread.
  @inlinable public final func whenComplete(
    _ callback: consuming @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    if takeSlot(StateWord.callback, if: { $0.isUnobserved }) {
      self.callback = consume callback
      keepRetainsAhead()
      isCallbackReady.store(true, ordering: .releasing)
    } else {
      connect(CallbackNode(consume callback))
    }
  }

  /// Calls the stored callback. A future's `step` calls this if its `source` is that future itself.
  @inlinable final func runCallback() -> StateWord {
    // Not `callback.take()`, because this generic function would allocate a wrapper of the closure.
    guard let callback else { return .noWaiters }
    self.callback = nil
    callback(completedResult)
    return .noWaiters
  }

  /// Blocks the calling thread until the outcome is known. Meant for tests and command-line tools.
  ///
  /// Inside a callback, `wait` first runs the callbacks of the futures that the callback has completed. Never call it on a
  /// thread or queue that the producer needs, nor in a callback for a result that a later callback of the same future produces.
  public final func wait() throws -> Value {
    if !isComplete {
      let queue = DeliveryQueue.current
      let semaphore = DispatchSemaphore(value: 0)
      whenComplete { _ in semaphore.signal() }
      // Run after `whenComplete`, because the notification of its callback may already be in the queue.
      if queue.pointee.isActive { queue.drain() }
      semaphore.wait()
    }
    return try result!.get()
  }

  /// The value, as soon as it is known. Cancelling the waiting task cancels the future.
  public final var value: Value {
    get async throws {
      if let result { return try result.get() }
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          whenComplete { continuation.resume(with: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }
}

extension DispatchQueue {
  /// Runs `work` on this queue. The outcome is what `work` returns or throws. A future cancelled earlier never runs `work`.
  public func future<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) -> Future<Value> {
    let promise = Promise<Value>()
    async {
      if promise.isCancelled { return }
      promise.complete(with: Result { try work() })
    }
    return promise.future
  }

  /// Runs long work on this queue. The work can check the signal and stop early when the future is cancelled.
  public func future<Value: Sendable>(
    _ work: @escaping @Sendable (CancellationSignal) throws -> Value
  ) -> Future<Value> {
    let promise = Promise<Value>()
    async {
      if promise.isCancelled { return }
      promise.complete(with: Result { try work(CancellationSignal(future: promise.future)) })
    }
    return promise.future
  }
}

/// A signal by which work can find out that its future has been cancelled.
public struct CancellationSignal: Sendable {
  fileprivate let future: AnyFuture

  /// Whether the future has been cancelled.
  public var isCancelled: Bool { future.isCancelled }
}

/// A list node for a callback on a future that is complete or already has an observer.
///
/// `@unchecked Sendable`: only the step touches `callback`.
@usableFromInline final class CallbackNode<Value: Sendable>: AnyFuture, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var callback: (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable init(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    self.callback = callback
    super.init(role: .observer) { node, source in
      let node = unsafeDowncast(node, to: CallbackNode<Value>.self)
      // Not `callback.take()`, because this generic function would allocate a wrapper of the closure.
      guard let callback = node.callback else { return .noWaiters }
      node.callback = nil
      callback(unsafeDowncast(source, to: Future<Value>.self).completedResult)
      return .noWaiters
    }
  }
}
