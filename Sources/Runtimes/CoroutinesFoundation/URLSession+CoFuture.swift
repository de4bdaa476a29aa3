import Coroutines
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// A future of the response to a GET of this address. Cancelling the future cancels the request.
  ///
  ///     let data = try URLSession.shared.dataTaskFuture(for: url).await().data
  public func dataTaskFuture(for url: URL) -> CoFuture<(data: Data, response: URLResponse)> {
    dataTaskFuture(for: URLRequest(url: url))
  }

  /// A future of the response to this request. Cancelling the future cancels the request.
  ///
  /// The future fails with the request's error. A status such as 404 is not an error.
  public func dataTaskFuture(for request: URLRequest) -> CoFuture<(data: Data, response: URLResponse)> {
    let promise = CoPromise<(data: Data, response: URLResponse)>()
    let task = dataTask(with: request) { data, response, error in
      if let data, let response, error == nil {
        promise.success((data, response))
      } else {
        promise.fail(error ?? URLError(.badServerResponse))
      }
    }
    promise.whenCanceled { task.cancel() }
    task.resume()
    return promise
  }
}
