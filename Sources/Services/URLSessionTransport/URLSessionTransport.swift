import Foundation
import UploadScenario
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests to one endpoint over one `URLSession`, without cookies, cache, credentials or proxy.
///
/// Callbacks run on a queue of the session, not on the thread pool that contenders block. When the last reference is released,
/// running exchanges are cancelled and the connections are closed.
public final class URLSessionTransport: HTTPTransport {
  private let session: URLSession
  private let transfers = Transfers()

  /// Creates a transport with at most `connections` connections. Each times out after `idleSeconds` without data.
  public init(connections: Int = 64, idleSeconds: Int = 15) {
    Self.ignoreProxies()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    configuration.connectionProxyDictionary = [:]
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.timeoutIntervalForRequest = TimeInterval(idleSeconds)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = transfers.callbacks
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: queue)
  }

  deinit {
    transfers.cancellations.run { [session] in
      session.invalidateAndCancel()
    } until: { [transfers] in
      transfers.isIdle
    }
  }

  public func send(
    _ request: HTTPRequest, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void
  ) -> any Cancellable {
    guard let url = URL(string: request.url) else {
      completion(.failure(.unreachable(reason: "\(request.url) is not a URL")))
      return SessionTask()
    }
    transfers.cancellations.add(port: url.portOrDefault)
    var urlRequest = URLRequest(url: url)
    urlRequest.httpMethod = request.method.rawValue
    let task =
      request.body.map { session.uploadTask(with: urlRequest, from: $0) }
      ?? session.dataTask(with: urlRequest)
    transfers.add(
      Transfer(mostBytes: request.mostAnswerBytes, receive: receive, completion: completion),
      as: task.taskIdentifier)
    task.resume()
    return SessionTask { [transfers] in transfers.cancel(task) }
  }

  #if canImport(FoundationNetworking)
    /// Sets `no_proxy`, because libcurl reads proxies from the environment. It reads the lower-case name first.
    private static func ignoreProxies() { _ = environmentHasNoProxy }

    private static let environmentHasNoProxy = setenv("no_proxy", "*", 1)
  #else
    /// Does nothing: the empty proxy dictionary of the configuration is enough.
    private static func ignoreProxies() {}
  #endif
}

private final class SessionTask: Cancellable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void = {}) { self.body = body }

  func cancel() { body() }
}

extension URL {
  fileprivate var portOrDefault: UInt16 {
    port.flatMap(UInt16.init(exactly:)) ?? (scheme == "https" ? 443 : 80)
  }
}

extension HTTPFailure {
  /// Classifies a task's error. On Linux most errors have the code `unknown`, so this reads libcurl's text.
  init(_ error: any Error, isSecure: Bool) {
    let reason = Transfers.printable(error.localizedDescription)
    switch (error as? URLError)?.code {
    case .cancelled: self = .cancelled
    case .timedOut: self = .timedOut
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
      self = .unreachable(reason: reason)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .untrusted(reason: reason)
    case .dataLengthExceedsMaximum: self = .tooLong(reason: reason)
    default:
      self.init(text: reason, isSecure: isSecure)
    }
  }

  private init(text: String, isSecure: Bool) {
    let lowered = text.lowercased()
    // The error of a broken secure connection also mentions SSL, but it contains "EOF".
    let isDistrust =
      lowered.contains("certificate") || lowered.contains("ssl routines") && !lowered.contains("eof")
    if isSecure, isDistrust {
      self = .untrusted(reason: text)
    } else if lowered == "out of memory" {
      self = .tooLong(reason: "a header line of more than 100 kB")
    } else if lowered.contains("too large") {
      self = .tooLong(reason: text)
    } else {
      self = .broken(reason: text)
    }
  }
}
