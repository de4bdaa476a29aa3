import Foundation
import UploadScenario

/// Sends requests to one endpoint, without following redirects.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and passes the response's body to `receive` piece by piece, then its status to `completion`.
  ///
  /// The completion is called once, perhaps before `send` returns, on a thread of neither the caller nor a contender. Cancelling
  /// the returned handle ends a running exchange, which then fails with `HTTPFailure.cancelled`.
  func send(
    _ request: HTTPRequest, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void
  ) -> any Cancellable
}

public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable { case put = "PUT", head = "HEAD", get = "GET" }

  public let method: Method
  public let folder: Endpoint
  /// The object's name in the folder.
  public let name: String
  public let body: Data?
  /// The length of the longest accepted response, in bytes.
  public let mostAnswerBytes: Int

  /// The length of the longest accepted response to an upload, which is usually an error page.
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

public enum HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
  case cancelled
  /// No data arrived for too long, or the whole exchange took too long.
  case timedOut
  /// No server listens at the endpoint, or its host is unknown. Either may be temporary.
  case unreachable(reason: String)
  /// The connection ended before the response was complete.
  case broken(reason: String)
  /// The server's TLS certificate is not valid for the endpoint.
  case untrusted(reason: String)
  /// The server answered with a redirect, which is never followed.
  case redirected(status: Int, location: String)
  /// The response is longer than any regular one, so another attempt would fail, too.
  case tooLong(reason: String)
  case status(Int)

  /// Returns `nil` if the status means success.
  public init?(status: Int) {
    if (200..<300).contains(status) { return nil }
    self = .status(status)
  }

  /// Whether another attempt may succeed. A PUT can safely be repeated.
  public var isTransient: Bool {
    switch self {
    case .timedOut, .unreachable, .broken: true
    case .status(let status): Self.isTransient(status: status)
    case .cancelled, .untrusted, .redirected, .tooLong: false
    }
  }

  /// Whether a status is transient: 408, 425, 429 and server errors except 501, 505 (not supported) and 507 (disk full).
  static func isTransient(status: Int) -> Bool {
    switch status {
    case 408, 425, 429: true
    case 501, 505, 507: false
    default: (500..<600).contains(status)
    }
  }

  public var description: String {
    switch self {
    case .cancelled: "the exchange was cancelled"
    case .timedOut: "no answer came in time"
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .broken(let reason): "the connection broke: \(reason)"
    case .untrusted(let reason): "the server's certificate is not trusted: \(reason)"
    case .redirected(let status, let location):
      "the server answered \(status), a redirect to \(location), but redirects are not followed"
    case .tooLong(let reason): "the server's answer is too long: \(reason)"
    case .status(let status):
      "the server answered \(status)" + (Self.meaning(of: status).map { " (\($0))" } ?? "")
    }
  }

  private static func meaning(of status: Int) -> String? {
    switch status {
    case 401: "the server requires a password, but none is ever sent"
    case 403: "access is forbidden: may the server write to its folder?"
    case 404, 409: "there is no such folder: does the server create missing folders?"
    case 405: "the server accepts no PUT there: is WebDAV enabled?"
    case 413: "the media file is too large for the server"
    case 507: "the server's disk is full"
    default: nil
    }
  }
}

/// The URL that the `http` service uploads to: the only server that is ever contacted, and a folder on it.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// The URL, without a slash at its end.
  public let url: String

  /// Accepts `http://` or `https://`, a host, and optionally a port and a path.
  public init(_ text: String) throws(EndpointError) {
    func refuse(_ reason: String) -> EndpointError { EndpointError(text: text, reason: reason) }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw refuse("it has spaces, control characters or letters that a URL must escape with %")
    }
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host, !host.isEmpty
    else { throw refuse("give the whole URL, such as http://127.0.0.1:8080/uploads") }
    guard ["http", "https"].contains(scheme) else { throw refuse("only http and https are supported") }
    guard parts.user == nil, parts.password == nil else {
      throw refuse("a user name or password would be recorded with the run: leave it out")
    }
    guard parts.query == nil, parts.fragment == nil else {
      throw refuse("leave out what begins with ? or #: each upload appends its own name to the path")
    }
    if let port = parts.port, !(1...65_535).contains(port) { throw refuse("use a port of 1 to 65535") }
    let segments = parts.path.split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else {
      throw refuse("leave . and .. out of the path")
    }
    let port = parts.port.map { ":\($0)" } ?? ""
    let path = parts.percentEncodedPath.split(separator: "/").map { "/\($0)" }.joined()
    url = "\(scheme)://\(parts.percentEncodedHost ?? host)\(port)\(path)"
  }

  private init(url: String) { self.url = url }

  /// A folder inside this one. Its name cannot refer to another folder, because unsafe characters are replaced.
  public func appending(_ name: String) -> Endpoint { Endpoint(url: "\(url)/\(Self.safe(name))") }

  public var description: String { url }

  /// The name with all characters but letters, digits and `-_+.` replaced by `_`, and with `_` before a dot at the start.
  static func safe(_ name: String) -> String {
    let safe = ObjectName.safe(name, also: "+")
    return safe.hasPrefix(".") || safe.isEmpty ? "_" + safe : safe
  }
}

/// The error for a text that is not an endpoint, with advice.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
  public let text: String
  public let reason: String

  public var description: String { "“\(text)” is not an endpoint: \(reason)" }
}
