/// The producer's end of a future.
///
/// The first answer counts; later ones are ignored, and say so by returning false. When the last reference to
/// a promise goes away without an answer, the future fails with ``FutureError/promiseAbandoned``: a waiter is
/// never left hanging. May be used from any thread.
public final class Promise<Value: Sendable>: Sendable {
  /// What everybody else holds; it does not keep the promise alive.
  public let future: Future<Value>

  /// A promise that has not been answered.
  @inlinable
  public init() { future = PromisedFuture() }

  deinit {
    if !future.isComplete { abandon() }
  }

  private func abandon() { future.fail(FutureError.promiseAbandoned) }

  /// Answers with a value. Calls the waiting callbacks on this thread.
  @inlinable
  @discardableResult
  public func succeed(_ value: Value) -> Bool { future.succeed(value) }

  /// Answers with an error. Calls the waiting callbacks on this thread.
  @inlinable
  @discardableResult
  public func fail(_ error: any Error) -> Bool { future.fail(error) }

  /// Answers with the outcome of a result. Calls the waiting callbacks on this thread.
  @inlinable
  @discardableResult
  public func complete(with result: Result<Value, any Error>) -> Bool {
    switch result {
    case .success(let value): future.succeed(value)
    case .failure(let error): future.fail(error)
    }
  }

  /// Calls the handler once if the future is cancelled before it is answered, so that the work can stop.
  ///
  /// Called on the cancelling thread; at once if that has already happened; never after an answer. It is
  /// released with the answer, so it may refer to the work that holds the promise.
  @inlinable
  public func onCancel(_ handler: consuming @escaping @Sendable () -> Void) {
    unsafeDowncast(future, to: PromisedFuture<Value>.self).setCancelHandler(consume handler)
  }

  /// Whether nobody wants the answer any more.
  public var isCancelled: Bool { future.isCancelled }
}

extension Future {
  /// Starts work that answers a promise, and gives the future of it.
  @inlinable
  public static func make(_ start: (Promise<Value>) throws -> Void) -> Future {
    let promise = Promise<Value>()
    do { try start(promise) } catch { promise.fail(error) }
    return promise.future
  }
}
