import Foundation
import RawThreads
import TestSupport
import Testing
import UploadScenario
import UploadServices

@testable import URLSessionTransport

/// A real session against a real socket with a rude server.
@Suite(.ownThread, .serialized) struct URLSessionTransportTests {
  private func put(
    _ byteCount: Int = 1_000, idleSeconds: Int = 15, _ handle: @escaping @Sendable (Peer) -> Void
  ) throws -> Exchange {
    let server = RudeServer(handle)
    defer { server.stop() }
    let exchange = Exchange(
      try .put(byteCount, to: server.url), over: URLSessionTransport(idleSeconds: idleSeconds))
    _ = exchange.result
    return exchange
  }

  @Test(arguments: [0, 1, 65_536, 300_001])
  func `a body arrives whole and the status comes back`(_ byteCount: Int) throws {
    let got = Guarded<(head: String, body: [UInt8])?>(nil)
    let exchange = try put(byteCount) { peer in
      let request = peer.readRequest()
      got.withLock { $0 = request }
      peer.answer(201)
    }
    #expect(exchange.status == 201)
    let request = try #require(got.withLock { $0 })
    #expect(request.head.hasPrefix("PUT /object HTTP/1.1\r\n"))
    #expect(Data(request.body) == (try HTTPRequest.put(byteCount, to: "http://x").body))
  }

  @Test func `a connection is reused, and no more are made than allowed`() throws {
    let server = RudeServer { peer in while peer.readRequest() != nil { peer.answer(204) } }
    defer { server.stop() }
    let transport = URLSessionTransport(connections: 3)
    // One after another, they share one.
    for _ in 0..<20 { #expect(Exchange(try .put(to: server.url), over: transport).status == 204) }
    #expect(server.connectionCount == 1)
    let exchanges = try (0..<30).map { _ in Exchange(try .put(to: server.url), over: transport) }
    #expect(exchanges.map(\.status) == Array(repeating: 204, count: 30))
    #expect((1...3).contains(server.connectionCount))
  }

  /// How much of the request is read (nil: all of it), what is answered, and whether the end is a reset.
  typealias Break = (what: String, read: Int?, answer: [UInt8], isReset: Bool)

  private static let created = Array("HTTP/1.1 201 Created\r\n".utf8)
  static let breaks: [Break] = [
    ("closed at once", 0, [], false), ("reset at once", 0, [], true),
    ("reset in the middle of the request", 10_000, [], true), ("closed without an answer", nil, [], false),
    ("closed in the first line of the answer", nil, Array("HTTP/1.1 2".utf8), false),
    ("headers that are none", nil, created + "hello\r\n\r\n".utf8, false),
    (
      "letters of another time", nil, created + "X-Name: ".utf8 + [0xE9, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A], false
    ), ("closed in the answer's body", nil, created + "Content-Length: 100\r\n\r\nten bytes.".utf8, false),
    ("no HTTP at all", nil, Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), false),
  ]

  @Test(arguments: breaks) func `a connection that breaks may be retried`(_ one: Break) throws {
    let exchange = try put(300_000) { peer in
      if let count = one.read {
        if count > 0 { _ = (peer.readHead(), peer.read(count)) }
      } else {
        _ = peer.readRequest()
      }
      peer.write(bytes: one.answer)
      if one.isReset { peer.reset() }
    }
    let failure = try #require(exchange.failure)
    #expect(failure.isTransient, "\(one.what): \(failure)")
    #expect(exchange.endings == 1)
  }

  @Test func `a server that comes back is reached again`() throws {
    let first = RudeServer { peer in while peer.readRequest() != nil { peer.answer(201) } }
    let transport = URLSessionTransport()
    #expect(Exchange(try .put(to: first.url), over: transport).status == 201)
    first.stop()
    // The connection is gone, and the port is closed.
    for _ in 0..<2 {
      let failure = try #require(Exchange(try .put(to: first.url), over: transport).failure)
      #expect(failure.isTransient, "\(failure)")
    }
    let second = RudeServer(port: first.port) { peer in while peer.readRequest() != nil { peer.answer(204) } }
    defer { second.stop() }
    #expect(Exchange(try .put(to: first.url), over: transport).status == 204)
  }

  @Test func `a silent server times out`() throws {
    let exchange = try put(idleSeconds: 1) { peer in
      _ = peer.readRequest()
      peer.waitUntilGone()
    }
    #expect(exchange.failure == .timedOut)
    #expect(exchange.endings == 1)
  }

  @Test(arguments: [
    ("a body without end", "HTTP/1.1 200 OK\r\n\r\n", "and so on "),
    ("a body of an absurd size", "HTTP/1.1 507 Full\r\nContent-Length: 99999999999\r\n\r\n", "full "),
    (
      "chunks without end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "4000\r\n\(String(repeating: "x", count: 16_384))\r\n"
    ),
    (
      "chunks of a byte without end", "HTTP/1.1 500 Broken\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\nx\r\n"
    ), ("answers that are none yet, without end", "", "HTTP/1.1 100 Continue\r\n\r\n"),
    ("a header without end", "HTTP/1.1 200 OK\r\nX-Long: ", "long "),
    ("a status without end", "HTTP/1.1 200 ", "OK "),
  ])
  func `an endless answer is an error and takes no memory`(_ what: String, start: String, more: String) throws
  {
    let flood = Flood(start, more)
    defer { flood.server.stop() }
    let before = peakMemoryBytes()
    let exchange = Exchange(try .put(to: flood.server.url), over: URLSessionTransport())
    let failure = try #require(exchange.failure)
    #expect(failure.isTooLong, "\(failure)")
    #expect(!failure.isTransient)
    // The connection is closed, although the server would go on.
    #expect(flood.isClosed.park(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000))
    // Some tens of megabytes, on a busy machine more; chunks of a byte once took gigabytes.
    #expect(peakMemoryBytes() - before < 512 << 20)
  }

  /// A redirect is reported at its end only.
  @Test func `an endless redirect can be cancelled`() throws {
    let flood = Flood("HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")
    defer { flood.server.stop() }
    let exchange = Exchange(try .put(to: flood.server.url), over: URLSessionTransport())
    flood.isUnderWay.park()
    exchange.cancel()
    #expect(exchange.failure == .cancelled)
    #expect(flood.isClosed.park(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000))
  }

  @Test(
    arguments: [301, 302, 303, 307, 308],
    ["other", "same", "file:///etc/passwd", "//", "http://[::1", "\u{7}"])
  func `a redirect is never followed`(_ status: Int, to place: String) throws {
    let other = RudeServer { peer in while peer.readRequest() != nil { peer.answer(200) } }
    defer { other.stop() }
    let requests = Counter()
    let location = place == "other" ? "\(other.url)/elsewhere" : place == "same" ? "/elsewhere" : place
    let exchange = try put { peer in
      while peer.readRequest() != nil {
        requests.add()
        peer.answer(status, headers: "Location: \(location)\r\n")
      }
    }
    switch exchange.result {
    case .failure(.redirected(status, let text)):
      #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
      if place == "other" { #expect(text == other.url) }
      if place == "same" {
        #expect(text.hasPrefix("http://127.0.0.1:") || text.hasPrefix("http://localhost:"))
      }
      if place.hasPrefix("file:") { #expect(text == "file://") }
    // To an invalid place.
    case .success(status): #expect(HTTPFailure(status: status)?.isTransient == false)
    default: Issue.record("\(String(describing: exchange.result))")
    }
    #expect(requests.current == 1)
    #expect(other.connectionCount == 0)
  }

  @Test func `no password is sent and no cookie is kept`() throws {
    let heads = Log<String>()
    let server = RudeServer { peer in
      while let request = peer.readRequest() {
        heads.append(request.head)
        peer.answer(401, headers: "Set-Cookie: a=b; Max-Age=1000\r\nWWW-Authenticate: Basic realm=\"x\"\r\n")
      }
    }
    defer { server.stop() }
    let transport = URLSessionTransport()
    for _ in 0..<2 { #expect(Exchange(try .put(to: server.url), over: transport).failure == .status(401)) }
    let sent = heads.entries
    #expect(sent.count == 2)
    #expect(
      !sent.contains { $0.lowercased().contains("cookie") || $0.lowercased().contains("authorization") })
  }

  @Test func `a proxy of the environment is not used`() throws {
    let proxy = RudeServer { peer in while peer.readRequest() != nil { peer.answer(200) } }
    defer { proxy.stop() }
    for name in ["http_proxy", "ALL_PROXY"] { setenv(name, proxy.url, 1) }
    defer { for name in ["http_proxy", "ALL_PROXY"] { unsetenv(name) } }
    let exchange = try put { peer in
      _ = peer.readRequest()
      peer.answer(201)
    }
    #expect(exchange.status == 201)
    #expect(proxy.connectionCount == 0)
  }

  @Test func `a cancelled exchange ends and closes its connection`() throws {
    let (entered, left) = (Parker(), Parker())
    let server = RudeServer { peer in
      _ = peer.readRequest()
      entered.unpark()
      peer.waitUntilGone()
      left.unpark()
    }
    defer { server.stop() }
    let exchange = Exchange(try .put(to: server.url), over: URLSessionTransport())
    entered.park()
    exchange.cancel()
    exchange.cancel()
    #expect(exchange.failure == .cancelled)
    #expect(left.park(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000))
    #expect(exchange.endings == 1)
  }

  @Test func `an answer may come before the request is complete`() throws {
    let exchange = try put(300_000) { peer in
      _ = peer.readHead()
      peer.answer(413, "too large", headers: "Connection: close\r\n")
      peer.waitUntilGone()
    }
    #expect(exchange.status == 413)
  }

  @Test func `no descriptor stays open`() throws {
    let server = RudeServer { peer in while peer.readRequest() != nil { peer.answer(201) } }
    defer { server.stop() }
    func openSockets() -> Int {
      (3..<1_024).count { descriptor in
        var info = stat()
        return fstat(Int32(descriptor), &info) == 0 && info.st_mode & S_IFMT == S_IFSOCK
          && isConnected(Int32(descriptor), toPort: server.port)
      }
    }
    do {
      let transport = URLSessionTransport()
      let exchanges = try (0..<40).map { _ in Exchange(try .put(to: server.url), over: transport) }
      #expect(exchanges.allSatisfy { $0.status == 201 })
      #expect(openSockets() > 0)
    }
    #expect(comesTrue { openSockets() == 0 })
  }
}

/// A server whose answer never ends, as fast as it is read.
private final class Flood: Sendable {
  let server: RudeServer
  /// More was sent than the other end can take.
  let isUnderWay: Parker
  let isClosed: Parker

  init(_ start: String, _ more: String) {
    let piece = Array(String(repeating: more, count: 100_000 / more.utf8.count + 1).utf8)
    let (isUnderWay, isClosed) = (Parker(), Parker())
    (self.isUnderWay, self.isClosed) = (isUnderWay, isClosed)
    server = RudeServer { peer in
      _ = peer.readRequest()
      peer.write(start)
      var pieces = 0
      while peer.write(bytes: piece) {
        pieces += 1
        if pieces == 20 { isUnderWay.unpark() }
      }
      isClosed.unpark()
    }
  }
}

/// The most this process ever had in memory.
private func peakMemoryBytes() -> Int {
  var usage = rusage()
  #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1_024
  #else
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
  #endif
}

/// Whether a socket is a client's of that port.
private func isConnected(_ socket: Int32, toPort port: UInt16) -> Bool {
  var address = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
  }
  return code == 0 && UInt16(bigEndian: address.sin_port) == port
}
