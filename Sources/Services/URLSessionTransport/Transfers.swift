import Dispatch
import Foundation
import Synchronization
import UploadServices

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session's delegate: finds a running transfer by its task's number.
final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
  let cancellations = Cancellations()
  /// A serial queue of its own: the session's operations would otherwise wait for the pool that contenders block.
  let callbacks = DispatchQueue(label: "http-transport")
  private let underWay = Mutex<[Int: Transfer]>([:])

  func add(_ transfer: Transfer, as number: Int) { underWay.withLock { $0[number] = transfer } }

  private func transfer(of task: URLSessionTask) -> Transfer? {
    underWay.withLock { $0[task.taskIdentifier] }
  }

  /// Cancels a task that has not ended; from any thread.
  func cancel(_ task: URLSessionTask) {
    transfer(of: task)?.cancel()
    cancellations.run { task.cancel() }
  }

  // Refused even to the same place: on Linux the session would repeat the request without its body. The task is cancelled and
  // the
  // handler never called: after a cancellation that came meanwhile, calling it would end the process there.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // On Linux the new request keeps the host where the target has none.
    let location = response.value(forHTTPHeaderField: "Location")
    let url = location.flatMap { URL(string: $0, relativeTo: response.url) } ?? request.url
    let target =
      url.map { "\($0.scheme ?? "?")://\($0.host ?? "")\($0.port.map { ":\($0)" } ?? "")" } ?? "nowhere"
    transfer(of: task)?.refuse(.redirected(status: response.statusCode, location: Self.printable(target)))
    cancellations.run { task.cancel() }
  }

  // The system decides which servers to trust. A request for a password is the answer; default handling would leave the task
  // without an end on Linux.
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

  // Called on Linux before a body is sent again. There is no stream; not to answer would block the whole session for seconds.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if transfer(of: dataTask)?.take(data) == false { cancellations.run { dataTask.cancel() } }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error { return transfer.end(with: .failure(HTTPFailure(error, isSecure: task.isSecure))) }
    guard let response = task.response as? HTTPURLResponse else {
      return transfer.end(with: .failure(.broken(reason: "it ended without an answer")))
    }
    transfer.end(with: .success(response.statusCode))
  }

  /// A server's text, for messages: printable, at most 200 characters.
  static func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
  }
}

extension URLSessionTask {
  fileprivate var isSecure: Bool { originalRequest?.url?.scheme == "https" }
}

/// One exchange as the session's queue sees it: its bytes so far, and its completion.
final class Transfer: @unchecked Sendable {
  // Invariant: after init only the session's serial queue touches the two variables; the rest are constants and an atomic.
  private var byteCount = 0
  /// Why the rest was refused; it says more than the cancellation that follows.
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

  /// Takes in a piece of the answer's body; false, once, if this is too much. Later pieces are dropped.
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

  /// Cancels it, from any thread.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// A failure after a cancellation is the cancellation, whatever the error.
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

/// Cancels tasks of a session, also while their answers flood it.
///
/// On Linux the session does not react while an answer comes in faster than it is read: all transfers stand still, and each
/// piece leaks a kilobyte. Then the connection is cut.
final class Cancellations: Sendable {
  private let queue = DispatchQueue(label: "http-cancellations")
  private let watch = DispatchQueue(label: "http-floods")
  /// The ports that connections go to.
  private let ports = Mutex<Set<UInt16>>([])

  func add(port: UInt16) { _ = ports.withLock { $0.insert(port) } }

  /// Calls `body`, which cancels one or more tasks, on a thread of its own.
  func run(_ body: @escaping @Sendable () -> Void) {
    let isThrough = DispatchSemaphore(value: 0)
    queue.async {
      body()
      isThrough.signal()
    }
    watch.async { [self] in
      while isThrough.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
        FloodedConnection.endAll(toPorts: ports.withLock { $0 })
      }
    }
  }
}

#if canImport(Glibc)
  /// A connection with more unread bytes than any regular answer leaves.
  enum FloodedConnection {
    /// Ends those that go to one of `ports`; the session, which owns the descriptors, reads no more from them.
    ///
    /// A descriptor that was reused meanwhile is a connection to such a port, too, and its owner must expect it to break.
    static func endAll(toPorts ports: Set<UInt16>) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      for descriptor in names.compactMap(Int32.init) {
        guard let port = peerPort(of: descriptor), ports.contains(port) else { continue }
        var unread: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &unread) == 0, unread > HTTPRequest.mostBytesOfErrorPage
        else { continue }
        // Dissolves the association and drops the unread bytes; after `shutdown` they would still be read.
        var noPeer = sockaddr()
        noPeer.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &noPeer, socklen_t(MemoryLayout<sockaddr>.size))
      }
    }

    /// nil: it is not a connection over IP.
    private static func peerPort(of descriptor: Int32) -> UInt16? {
      // The port is at the same place in the addresses of both versions.
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
  /// A flooded connection: on this platform the session cancels its task by itself.
  enum FloodedConnection {
    static func endAll(toPorts ports: Set<UInt16>) {}
  }
#endif
