import Foundation

/// Where the `http` service uploads to: the only server that is ever contacted, and the folder on it.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// Without a slash at its end.
  public let url: String

  /// Takes `http://` or `https://`, a host, and perhaps a port and a path; nothing that would be a secret in a report.
  public init(_ text: String) throws(EndpointError) {
    func refuse(_ reason: String) -> EndpointError { EndpointError(text: text, reason: reason) }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw refuse("it has spaces, control characters or letters that a URL must escape with %")
    }
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host, !host.isEmpty
    else { throw refuse("give the whole URL, such as http://127.0.0.1:8080/uploads") }
    guard ["http", "https"].contains(scheme) else { throw refuse("only http and https are spoken here") }
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

  /// A folder below this one; its name is made safe, and is no way out.
  public func appending(_ name: String) -> Endpoint { Endpoint(url: "\(url)/\(Self.safe(name))") }

  public var description: String { url }

  /// Letters, digits, dash, underscore, plus and dots stay, but for dots at the start; the rest becomes `_`.
  static func safe(_ name: String) -> String {
    let safe = ObjectName.safe(name, also: "+")
    return safe.hasPrefix(".") || safe.isEmpty ? "_" + safe : safe
  }
}

/// Text that names no endpoint, and what to give instead.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
  public let text: String
  public let reason: String

  public var description: String { "“\(text)” is no endpoint: \(reason)" }
}
