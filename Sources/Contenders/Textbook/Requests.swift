import Coroutines
import ReactiveStreams
import UploadScenario

/// A request as a publisher.
func publisher<Value: Sendable>(
  _ request: @escaping @Sendable (@escaping Callback<Value>) -> any UploadScenario.Cancellable
) -> AnyPublisher<Value, any Error> {
  FromCallback<Value, any Error, any UploadScenario.Cancellable>({ resolver in
    request { resolver($0) }
  }) { $0.cancel() }.eraseToAnyPublisher()
}

/// A request as a future, which cancels it.
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
