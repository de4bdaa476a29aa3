import Coroutines
import ReactiveStreams
import Synchronization
import UploadScenario

func publisher<Value: Sendable>(
  _ request: @escaping @Sendable (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) -> AnyPublisher<Value, any Error> {
  FromCallback<Value, any Error, any UploadScenario.Cancellable>({ resolver in
    request { resolver($0) }
  }) { $0.cancel() }.eraseToAnyPublisher()
}

/// Converts a request to a future. Cancelling the future cancels the request.
func makeFuture<Value: Sendable>(
  _ request: (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) -> CoFuture<Value> {
  let promise = CoPromise<Value>()
  let request = request { result in
    switch result {
    case .success(let value): promise.success(value)
    case .failure(let error): promise.fail(error)
    }
  }
  promise.whenCanceled { request.cancel() }
  return promise
}

extension CoScope: UploadScenario.Cancellable {}

/// Converts a request to an async function by a checked continuation. Cancelling the task cancels the request.
func response<Value: Sendable>(
  _ request: (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) async throws -> Value {
  let canceller = Canceller()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
      let request = request { continuation.resume(with: $0) }
      canceller.whenCancelled { request.cancel() }
    }
  } onCancel: {
    canceller.cancel()
  }
}

/// Stores the handle that a task must cancel. If the cancellation came first, the handle is cancelled when it is stored.
final class Canceller: Sendable {
  private let state = Mutex<(isCancelled: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

  func whenCancelled(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel
    }
    cancel?()
  }
}
