import Foundation
import Synchronization

/// A server that keeps what is PUT, in memory, and gives it back: what WebDAV means to these tests.
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

  /// The names below a path.
  func names(below path: String) -> Set<String> {
    Set(
      objects.all.withLock { $0.keys }.filter { $0.hasPrefix(path) }.map { String($0.dropFirst(path.count)) })
  }

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
