import Foundation
import Synchronization

/// An answer other than 200, or none.
enum GetError: Error, Equatable {
  case status(Int)
  /// 302: the server wants more reports of the load.
  case goOn
  case connection(String)
}

/// GET requests over raw sockets, each on its own connection. One thread reads them all and calls back.
final class Client: Sendable {
  typealias Completion = @Sendable (Result<String, any Error>) -> Void

  /// A request in flight. Cancelling it closes the connection and calls back with `CancellationError`.
  struct Request: Sendable {
    fileprivate let client: Client
    fileprivate let id: UInt64

    func cancel() {
      if !client.isCareless { client.end(id, .failure(CancellationError())) }
    }
  }

  private struct Exchange {
    let socket: Int32
    let path: String
    let completion: Completion
    var received: [UInt8] = []
  }

  private struct State {
    var exchanges: [UInt64: Exchange] = [:]
    var lastID: UInt64 = 0
  }

  private let port: UInt16
  /// Requests ignore cancellations: a positive control.
  private let isCareless: Bool
  private let poller: Poller
  private let state = Mutex(State())

  init(port: UInt16, isCareless: Bool = false) throws {
    self.port = port
    self.isCareless = isCareless
    poller = try Poller()
    Thread.detachNewThread { [self] in
      while true { for event in poller.wait(milliseconds: -1) { handle(event) } }
    }
  }

  @discardableResult
  func get(_ path: String, _ completion: @escaping Completion) -> Request {
    let socket = Result { try Socket.connect(port: port) }
    let id = state.withLock { state in
      state.lastID += 1
      if case .success(let socket) = socket {
        state.exchanges[state.lastID] = Exchange(socket: socket, path: path, completion: completion)
        poller.add(socket, id: state.lastID, writing: true)
      }
      return state.lastID
    }
    if case .failure(let error) = socket { completion(.failure(error)) }
    return Request(client: self, id: id)
  }

  private func handle(_ event: Poller.Event) {
    // Under the lock: a socket closed by `cancel` could already be another request's.
    let result = state.withLock { state -> Result<String, any Error>? in
      guard let socket = state.exchanges[event.id]?.socket else { return nil }
      if event.isWritable {
        Socket.write(
          "GET \(state.exchanges[event.id]!.path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
          to: socket)
        poller.onlyRead(socket, id: event.id)
      }
      let (isAtEnd, error) = Socket.read(socket, into: &state.exchanges[event.id]!.received)
      if let error { return .failure(GetError.connection(error.description)) }
      return isAtEnd ? Result { try Self.body(of: state.exchanges[event.id]!.received) } : nil
    }
    if let result { end(event.id, result) }
  }

  /// The first call for a request counts.
  private func end(_ id: UInt64, _ result: Result<String, any Error>) {
    let ended = state.withLock { state in
      let ended = state.exchanges.removeValue(forKey: id)
      if let ended { Socket.reset(ended.socket) }
      return ended
    }
    ended?.completion(result)
  }

  private static func body(of answer: [UInt8]) throws -> String {
    let parts = String(decoding: answer, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
    guard let head = parts.first, let status = Int(head.split(separator: " ")[1]) else {
      throw GetError.connection("closed without an answer")
    }
    guard status == 200 else { throw status == 302 ? GetError.goOn : .status(status) }
    return parts.count > 1 ? String(parts[1]) : ""
  }
}
