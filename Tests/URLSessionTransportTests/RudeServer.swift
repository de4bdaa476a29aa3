import Foundation
import RawThreads
import Synchronization
import TestSupport
import UploadScenario
import UploadServices

/// A server on the loopback interface that calls the test's handler for each connection, on a thread per connection.
///
/// It knows just enough of HTTP to read a request; the test chooses the bytes of the answer.
final class RudeServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let handle: @Sendable (Peer) -> Void
  private let peers = Mutex<(open: Set<Int32>, accepted: Int, isStopped: Bool)>(([], 0, false))
  private let accepting = Mutex<RawThread?>(nil)

  var url: String { "http://127.0.0.1:\(port)" }
  var connectionCount: Int { peers.withLock { $0.accepted } }

  /// - Parameter port: 0: any that is free.
  init(port wanted: UInt16 = 0, _ handle: @escaping @Sendable (Peer) -> Void) {
    self.handle = handle
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        precondition(bind(listener, address, length) == 0, "cannot bind: \(String(cString: strerror(errno)))")
        precondition(listen(listener, 128) == 0)
        getsockname(listener, address, &length)
      }
    }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    accepting.withLock { $0 = RawThread(name: "rude-server") { [self] in accept() } }
  }

  private func accept() {
    while case let socket = Foundation.accept(listener, nil, nil), socket >= 0 {
      let isStopped = peers.withLock { peers in
        if !peers.isStopped {
          peers.open.insert(socket)
          peers.accepted += 1
        }
        return peers.isStopped
      }
      guard !isStopped else {
        close(socket)
        return
      }
      _ = RawThread(name: "rude-peer") { [self] in
        handle(Peer(socket))
        _ = peers.withLock { $0.open.remove(socket) }
        close(socket)
      }
    }
  }

  /// As if it were killed: closes the port and all connections.
  func stop() {
    peers.withLock { peers in
      peers.isStopped = true
      for socket in peers.open { shutdown(socket, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    accepting.withLock { $0.take() }?.join()
    close(listener)
  }
}

/// The other end of a connection.
final class Peer: Sendable {
  private let socket: Int32
  /// Received bytes that were not read.
  private let pending = Mutex<[UInt8]>([])

  init(_ socket: Int32) { self.socket = socket }

  /// The next request, whole; nil if there is none.
  func readRequest() -> (head: String, body: [UInt8])? {
    guard let head = readHead() else { return nil }
    let length = head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) }
    guard let body = read(length ?? 0) else { return nil }
    return (head, body)
  }

  /// The next request up to its body; nil if there is none.
  func readHead() -> String? {
    let end: [UInt8] = [13, 10, 13, 10]
    while true {
      let head: [UInt8]? = pending.withLock { pending in
        guard let place = pending.firstRange(of: end) else { return nil }
        defer { pending.removeFirst(place.upperBound) }
        return Array(pending[..<place.upperBound])
      }
      if let head { return String(decoding: head, as: UTF8.self) }
      guard receive() else { return nil }
    }
  }

  /// So many bytes; nil if the connection ended before.
  func read(_ count: Int) -> [UInt8]? {
    while true {
      let bytes: [UInt8]? = pending.withLock { pending in
        guard pending.count >= count else { return nil }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
      }
      if let bytes { return bytes }
      guard receive() else { return nil }
    }
  }

  private func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress!, $0.count, 0) }
    guard count > 0 else { return false }
    pending.withLock { $0 += bytes[..<count] }
    return true
  }

  /// false: the other end is gone.
  @discardableResult func write(_ text: String) -> Bool { write(bytes: Array(text.utf8)) }

  @discardableResult func write(bytes: [UInt8]) -> Bool {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let sent = bytes.withUnsafeBytes { send(socket, $0.baseAddress!, $0.count, Int32(noSignal)) }
      guard sent > 0 else { return false }
      bytes = bytes.dropFirst(sent)
    }
    return true
  }

  /// Answers a request as any server would.
  func answer(_ status: Int, _ body: String = "", headers: String = "") {
    write("HTTP/1.1 \(status) Whatever\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
  }

  /// Makes the end of the connection a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
  }

  /// Returns when the other end has closed the connection.
  func waitUntilGone() { while read(1) != nil {} }
}

#if canImport(Glibc)
  private let noSignal = MSG_NOSIGNAL
#else
  /// The tests ignore the signal.
  private let noSignal = 0
#endif

/// A server that keeps PUT bodies in memory, and returns them: enough WebDAV for these tests.
final class HonestServer: Sendable {
  private let objects = Shelf()
  private let server: RudeServer

  var url: String { server.url }

  init() {
    server = RudeServer { [objects] peer in
      while let (head, body) = peer.readRequest() {
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return }
        objects.answer(String(words[0]), String(words[1]), body, peer)
      }
    }
  }

  func stop() { server.stop() }

  private final class Shelf: Sendable {
    let all = Mutex<[String: [UInt8]]>([:])

    func answer(_ method: String, _ path: String, _ body: [UInt8], _ peer: Peer) {
      switch method {
      case "PUT":
        let isNew = all.withLock { $0.updateValue(body, forKey: path) == nil }
        peer.answer(isNew ? 201 : 204)
      case "GET", "HEAD":
        guard let body = all.withLock({ $0[path] }) else { return peer.answer(404) }
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        if method == "GET" { peer.write(bytes: body) }
      default: peer.answer(405)
      }
    }
  }
}

/// One exchange, seen from outside.
final class Exchange: Sendable, CustomReflectable {
  private let results = Log<Result<Int, HTTPFailure>>()
  private let received = Mutex(Data())
  private let handle = Mutex<(any Cancellable)?>(nil)
  /// Its deinitialiser cancels running exchanges.
  private let transport: any HTTPTransport

  init(_ request: HTTPRequest, over transport: any HTTPTransport) {
    self.transport = transport
    let handle = transport.send(request, receive: { data in self.received.withLock { $0 += data } }) {
      self.results.append($0)
    }
    self.handle.withLock { $0 = handle }
  }

  func cancel() { handle.withLock { $0 }?.cancel() }

  /// How it ended; nil: it did not within 20 s.
  var result: Result<Int, HTTPFailure>? { results.wait(for: 1).first }

  var status: Int? { try? result?.get() }
  var failure: HTTPFailure? { if case .failure(let failure) = result { failure } else { nil } }
  var body: Data { received.withLock { $0 } }
  /// For messages of failed expectations: reflection must not read the session while it works.
  var customMirror: Swift.Mirror { Swift.Mirror(self, children: ["result": "\(results.entries)"]) }
  var endings: Int { results.count }
}

extension HTTPRequest {
  static func put(_ byteCount: Int = 1_000, to url: String, name: String = "object") throws -> HTTPRequest {
    HTTPRequest(.put, name, in: try Endpoint(url), body: Data((0..<byteCount).map { UInt8($0 % 251) }))
  }
}

extension HTTPFailure {
  var isUntrusted: Bool { if case .untrusted = self { true } else { false } }
  var isTooLong: Bool { if case .tooLong = self { true } else { false } }
}
