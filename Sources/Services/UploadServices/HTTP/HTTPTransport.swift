import Foundation
import UploadScenario

/// Carries requests to one endpoint and to nothing else.
///
/// Completions come exactly once each, on a thread that is neither the caller's nor a contender's, and perhaps before `send`
/// returns. It follows no redirect, and keeps no answer in memory.
public protocol HTTPTransport: Sendable {
  /// Starts one exchange; cancelling it ends it with `HTTPFailure.cancelled`, unless it has ended.
  ///
  /// - Parameters:
  ///   - receive: receives the answer's body, piece by piece, before the completion.
  ///   - completion: receives the answer's status.
  func send(
    _ request: HTTPRequest, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void
  ) -> any Cancellable
}

/// A request to the endpoint.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable { case put = "PUT", head = "HEAD", get = "GET" }

  public let method: Method
  /// The folder, which is the endpoint or lies below it.
  public let folder: Endpoint
  /// The object's name in it.
  public let name: String
  public let body: Data?
  /// The longest accepted answer, in bytes: a longer one is an error.
  public let mostAnswerBytes: Int

  /// The longest answer to an upload: an error page.
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

/// How an exchange with the endpoint failed, in terms of whether another attempt may succeed.
public enum HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
  case cancelled
  /// No data came for too long, or the whole took too long.
  case timedOut
  /// No server listens there, or the host is unknown; perhaps only at this moment.
  case unreachable(reason: String)
  /// The connection ended before the answer was whole.
  case broken(reason: String)
  /// TLS: the server has not proved to be the endpoint.
  case untrusted(reason: String)
  /// The server redirects, which is never followed.
  case redirected(status: Int, location: String)
  /// Longer than any regular answer; another attempt would read it all again, so it is not transient.
  case tooLong(reason: String)
  case status(Int)

  /// The failure of a status other than success; nil for success.
  public init?(status: Int) {
    if (200..<300).contains(status) { return nil }
    self = .status(status)
  }

  /// Whether another attempt may succeed. A PUT that is repeated does no harm.
  public var isTransient: Bool {
    switch self {
    case .timedOut, .unreachable, .broken: true
    case .status(let status): Self.isTransient(status: status)
    case .cancelled, .untrusted, .redirected, .tooLong: false
    }
  }

  /// 408 (too slow), 425 (early) and 429 (many) are transient, and server errors but 501, 505 (it cannot) and 507 (disk full).
  static func isTransient(status: Int) -> Bool {
    switch status {
    case 408, 425, 429: true
    case 501, 505, 507: false
    default: (500..<600).contains(status)
    }
  }

  public var description: String {
    switch self {
    case .cancelled: "it was cancelled"
    case .timedOut: "no answer came in time"
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .broken(let reason): "the connection broke: \(reason)"
    case .untrusted(let reason): "the server is not trusted: \(reason)"
    case .redirected(let status, let location):
      "the server answered \(status) and sends to \(location), but redirects are not followed"
    case .tooLong(let reason): "the server's answer is too long: \(reason)"
    case .status(let status):
      "the server answered \(status)" + (Self.meaning(of: status).map { " (\($0))" } ?? "")
    }
  }

  /// What the user can do about a status.
  private static func meaning(of status: Int) -> String? {
    switch status {
    case 401: "it wants a password, and none is ever sent"
    case 403: "it is forbidden: may the server write to its folder?"
    case 404, 409: "there is no such folder: does the server make folders on the way?"
    case 405: "it takes no PUT there: is WebDAV switched on?"
    case 413: "the media file is too large for it"
    case 507: "its disk is full"
    default: nil
    }
  }
}

/// Where the `http` service uploads to: the only server that is ever contacted, and the folder on it.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// Without a slash at its end.
  public let url: String

  /// Accepts `http://` or `https://`, a host, and perhaps a port and a path; nothing that would be a secret in a report.
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
      throw refuse("a name or a password would be recorded with the run: leave it out")
    }
    guard parts.query == nil, parts.fragment == nil else {
      throw refuse("leave out what begins with ? or #: each upload appends its own name to the path")
    }
    if let port = parts.port, !(1...65_535).contains(port) { throw refuse("a port is from 1 to 65535") }
    let segments = parts.path.split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else {
      throw refuse("leave out . and .. in its path")
    }
    let port = parts.port.map { ":\($0)" } ?? ""
    let path = parts.percentEncodedPath.split(separator: "/").map { "/\($0)" }.joined()
    url = "\(scheme)://\(parts.percentEncodedHost ?? host)\(port)\(path)"
  }

  private init(url: String) { self.url = url }

  /// A folder below this one; its name is made safe, so that it cannot lead out.
  public func appending(_ name: String) -> Endpoint { Endpoint(url: "\(url)/\(Self.safe(name))") }

  public var description: String { url }

  /// Letters, digits, dash, underscore, plus and dots stay, but for dots at the start; the rest becomes `_`.
  static func safe(_ name: String) -> String {
    let safe = ObjectName.safe(name, also: "+")
    return safe.hasPrefix(".") || safe.isEmpty ? "_" + safe : safe
  }
}

/// Text that is not an endpoint, and what to give instead.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
  public let text: String
  public let reason: String

  public var description: String { "“\(text)” is not an endpoint: \(reason)" }
}
