import Foundation
import Synchronization
import TestSupport
import UploadScenario
import UploadServices

/// A transport whose other end is the test, which sees each request and ends it.
final class FakeTransport: HTTPTransport {
  final class Sent: Cancellable {
    let request: HTTPRequest
    private let completion: Mutex<(@Sendable (Result<Int, HTTPFailure>) -> Void)?>

    init(_ request: HTTPRequest, _ completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void) {
      self.request = request
      self.completion = Mutex(completion)
    }

    /// The first end counts.
    func end(_ result: Result<Int, HTTPFailure>) {
      let completion = completion.withLock { completion in
        defer { completion = nil }
        return completion
      }
      completion?(result)
    }

    func end(_ status: Int) { end(.success(status)) }

    func cancel() { end(.failure(.cancelled)) }
  }

  private let all = Log<Sent>()
  private let answer: (@Sendable (HTTPRequest) -> Int)?

  /// - Parameter answer: the status of each request at once; nil: the test ends them.
  init(_ answer: (@Sendable (HTTPRequest) -> Int)? = nil) { self.answer = answer }

  func send(
    _ request: HTTPRequest, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void
  ) -> any Cancellable {
    let sent = Sent(request, completion)
    all.append(sent)
    if let answer { sent.end(answer(request)) }
    return sent
  }

  var sent: [Sent] { all.entries }

  /// The first `count` requests, or fewer if they do not come within 20 s.
  func first(_ count: Int) -> [Sent] { all.wait(for: count) }
}
