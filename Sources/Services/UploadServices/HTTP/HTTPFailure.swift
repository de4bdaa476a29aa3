import UploadScenario

/// How an exchange with the endpoint failed, as far as it matters to whoever might try again.
public enum HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
  case cancelled
  /// Nothing was heard for too long, or the whole took too long.
  case timedOut
  /// Nobody listens there, or the host is not known: perhaps not yet, or not any more.
  case unreachable(reason: String)
  /// The connection ended before the answer was whole.
  case broken(reason: String)
  /// TLS: who answers has not proved to be the endpoint.
  case untrusted(reason: String)
  /// The answer sends elsewhere, where nothing is ever sent.
  case redirected(status: Int, location: String)
  /// The answer is longer than any honest one: whoever says that much does so again, and another attempt would have it read
  /// once more. Therefore it is not transient, whatever its status.
  case tooLong(reason: String)
  case status(Int)

  /// What a status other than success says; nil for success.
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

  /// 408 (too slow), 425 (too early) and 429 (too many) pass, and so do errors of the server, but for 501 (it cannot do
  /// that), 505 (nor speak that version) and 507 (its disk is full).
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

  /// Those that a user can do something about.
  private static func meaning(of status: Int) -> String? {
    switch status {
    case 401: "it wants a password, and none is ever sent"
    case 403: "it is forbidden: may the server write to its folder?"
    case 404, 409: "there is no such folder: does the server make folders on the way?"
    case 405: "it takes no PUT there: is WebDAV switched on?"
    case 413: "the media is too large for it"
    case 507: "its disk is full"
    default: nil
    }
  }
}
