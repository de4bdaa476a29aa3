import Coroutines
import ReactiveStreams
import UploadScenario

/// A request as an async function, as articles wrap a callback.
func answer<Value: Sendable>(_ request: (@escaping Callback<Value>) -> any Cancellable) async throws -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    _ = request { continuation.resume(with: $0) }
  }
}

/// A request as a publisher.
func publisher<Value: Sendable>(
  _ request: @escaping @Sendable (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) -> AnyPublisher<Value, any Error> {
  FromCallback<Value, any Error, any UploadScenario.Cancellable>({ resolver in
    request { resolver($0) }
  }) { $0.cancel() }.eraseToAnyPublisher()
}

/// A request as a future.
func makeFuture<Value: Sendable>(
  _ request: (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) -> CoFuture<Value> {
  let promise = CoPromise<Value>()
  _ = request { result in
    switch result {
    case .success(let value): promise.success(value)
    case .failure(let error): promise.fail(error)
    }
  }
  return promise
}
