import Dispatch
import Foundation
import Synchronization
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session's delegate. It finds a running transfer by its task's number.
final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
  let cancellations = Cancellations()
  /// The serial queue for the session's callbacks. On the global pool, they would wait for threads that contenders block.
  let callbacks = DispatchQueue(label: "http-transport")
  private let underWay = Mutex<[Int: Transfer]>([:])

  func add(_ transfer: Transfer, as number: Int) { underWay.withLock { $0[number] = transfer } }

  private func transfer(of task: URLSessionTask) -> Transfer? {
    underWay.withLock { $0[task.taskIdentifier] }
  }

  /// Cancels a task that has not ended, on any thread.
  func cancel(_ task: URLSessionTask) {
    transfer(of: task)?.cancel()
    stop(task)
  }

  private func stop(_ task: URLSessionTask) {
    let number = task.taskIdentifier
    cancellations.run {
      task.cancel()
    } until: {
      self.underWay.withLock { $0[number] == nil }
    }
  }

  /// Whether no exchange is running.
  var isIdle: Bool { underWay.withLock { $0.isEmpty } }

  // Redirects are refused, because on Linux the session would repeat the request without its body. If the task is cancelled, a
  // call of `completionHandler` would crash the process on Linux, so it is never called.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The target is computed from the header, because on Linux `request` has the wrong host if the header has a relative URL.
    let location = response.value(forHTTPHeaderField: "Location")
    let url = location.flatMap { URL(string: $0, relativeTo: response.url) } ?? request.url
    let target =
      url.map { "\($0.scheme ?? "?")://\($0.host ?? "")\($0.port.map { ":\($0)" } ?? "")" } ?? "nowhere"
    transfer(of: task)?.refuse(.redirected(status: response.statusCode, location: Self.printable(target)))
    stop(task)
  }

  // The system decides which servers to trust. A request for a password is rejected: with default handling, the task would never
  // end on Linux.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode
    transfer(of: task)?.refuse(.status(status ?? 401))
    completionHandler(.rejectProtectionSpace, nil)
  }

  // Linux calls this before it sends a body again. Without a call of the handler, the whole session would block for seconds.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if transfer(of: dataTask)?.take(data) == false { stop(dataTask) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error { return transfer.end(with: .failure(HTTPFailure(error, isSecure: task.isSecure))) }
    guard let response = task.response as? HTTPURLResponse else {
      return transfer.end(with: .failure(.broken(reason: "no response arrived before it ended")))
    }
    transfer.end(with: .success(response.statusCode))
  }

  /// The printable characters of a server's text, at most 200, for use in messages.
  static func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
  }
}

extension URLSessionTask {
  fileprivate var isSecure: Bool { originalRequest?.url?.scheme == "https" }
}

/// The state of one running HTTP exchange.
final class Transfer: @unchecked Sendable {
  // Invariant: after init, only the session's serial queue touches `byteCount` and `refusal`; all else is constant or atomic.
  private var byteCount = 0
  /// The error that is reported instead of the cancellation that it causes.
  private(set) var refusal: HTTPFailure?
  private let isCancelled = Atomic<Bool>(false)
  private let mostBytes: Int
  private let receive: @Sendable (Data) -> Void
  private let completion: @Sendable (Result<Int, HTTPFailure>) -> Void

  init(
    mostBytes: Int, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void
  ) {
    self.mostBytes = mostBytes
    self.receive = receive
    self.completion = completion
  }

  /// Receives a piece of the response's body. Returns false once, if the body is too long, and drops later pieces.
  func take(_ data: Data) -> Bool {
    guard refusal == nil else { return true }
    byteCount += data.count
    guard byteCount <= mostBytes else {
      refuse(.tooLong(reason: "more than \(mostBytes) bytes"))
      return false
    }
    receive(data)
    return true
  }

  func refuse(_ failure: HTTPFailure) { refusal = refusal ?? failure }

  /// Called on any thread.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Ends the exchange. After a cancellation, any failure is reported as `cancelled`.
  func end(with result: Result<Int, HTTPFailure>) {
    if let refusal {
      completion(.failure(refusal))
    } else if case .failure = result, isCancelled.load(ordering: .relaxed) {
      completion(.failure(.cancelled))
    } else {
      completion(result)
    }
  }
}

/// Cancels tasks of a session. On Linux, the session hangs and leaks while a response arrives faster than it is read. So if an
/// exchange has not ended 20 ms after its cancellation, its connection is ended.
final class Cancellations: Sendable {
  private let queue = DispatchQueue(label: "http-cancellations")
  private let watch = DispatchQueue(label: "http-floods")
  /// The servers' ports that connections use.
  private let ports = Mutex<Set<UInt16>>([])

  func add(port: UInt16) { _ = ports.withLock { $0.insert(port) } }

  /// Cancels exchanges on another thread. `haveEnded` returns whether they have ended, which may be long after `cancel` returns.
  func run(_ cancel: @escaping @Sendable () -> Void, until haveEnded: @escaping @Sendable () -> Bool) {
    queue.async { cancel() }
    watch.async { [self] in
      // On a busy machine, a session may keep up with an endless response, so that it never has many unread bytes. After a second,
      // any unread byte counts. After ten seconds, the exchange has ended without a report, as a session does when it is released.
      for wait in 0..<500 {
        if haveEnded() { return }
        if wait > 0 {
          let most = wait < 50 ? HTTPRequest.mostBytesOfErrorPage : 0
          FloodedConnection.endAll(toPorts: ports.withLock { $0 }, unread: most)
        }
        usleep(20_000)
      }
    }
  }
}

#if canImport(Glibc)
  /// Connections with more unread bytes than any regular response can have.
  enum FloodedConnection {
    /// Ends the connections to `ports` with more than `most` unread bytes, so that the session, which owns their descriptors, stops reading. A descriptor may
    /// be reused meanwhile, but only for a connection to such a port, which may break at any time.
    static func endAll(toPorts ports: Set<UInt16>, unread most: Int) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      for descriptor in names.compactMap(Int32.init) {
        guard let port = peerPort(of: descriptor), ports.contains(port) else { continue }
        var unread: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &unread) == 0, unread > most
        else { continue }
        // This disconnects the socket and drops the unread bytes. After `shutdown` they would still be read.
        var noPeer = sockaddr()
        noPeer.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &noPeer, socklen_t(MemoryLayout<sockaddr>.size))
      }
    }

    /// The port of a connection's server, or `nil` if the descriptor is no IP connection.
    private static func peerPort(of descriptor: Int32) -> UInt16? {
      // The port has the same offset in IPv4 and IPv6 addresses.
      var address = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return nil }
      return UInt16(bigEndian: address.sin6_port)
    }
  }
#else
  /// Does nothing: on this platform the session cancels tasks even if their responses arrive too fast.
  enum FloodedConnection {
    static func endAll(toPorts ports: Set<UInt16>, unread most: Int) {}
  }
#endif
