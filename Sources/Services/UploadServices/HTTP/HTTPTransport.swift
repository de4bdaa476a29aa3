import Foundation
import UploadScenario

/// What carries requests to one endpoint and to nothing else.
///
/// Completions come exactly once each, on a thread that is neither the caller's nor a contender's, and perhaps before
/// `send` returns. Redirects are not followed, and an answer is never kept in memory.
public protocol HTTPTransport: Sendable {
  /// Starts one exchange; cancelling it ends its completion with `HTTPFailure.cancelled`, unless it has ended.
  ///
  /// - Parameter receive: is handed the answer's body, piece by piece, before the completion.
  func send(
    _ request: HTTPRequest, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void
  ) -> any Cancellable
}

/// What is asked of the endpoint.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable { case put = "PUT", head = "HEAD", get = "GET" }

  public let method: Method
  /// The folder, which is the endpoint or lies below it.
  public let folder: Endpoint
  /// The object's name in it.
  public let name: String
  public let body: Data?
  /// An answer with more bytes than this is an error, not memory.
  public let mostAnswerBytes: Int

  /// What a server may say to an upload: an error page, not more.
  public static let mostBytesOfErrorPage = 64 * 1024

  public init(
    _ method: Method, _ name: String, in folder: Endpoint, body: Data? = nil,
    mostAnswerBytes: Int = mostBytesOfErrorPage
  ) {
    self.method = method
    self.folder = folder
    self.name = name
    self.body = body
    self.mostAnswerBytes = mostAnswerBytes
  }

  public var url: String { "\(folder.url)/\(Endpoint.safe(name))" }
}

/// A whole answer, but for its body.
public struct HTTPAnswer: Sendable, Hashable {
  public let status: Int

  public init(status: Int) { self.status = status }
}
