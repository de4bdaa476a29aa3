import Glibc

/// Serves the scenarios on one thread of its own process, until its standard input ends.
///
/// Besides a scenario's requests it answers `/start` (of a run), `/idle` (once no connection of the run is open) and
/// `/arrived` (how many requests came).
final class Server {
  private struct Connection {
    let socket: Int32
    var received: [UInt8] = []
    var path = ""
    var isAnswered = false
    /// False for the three requests about a run.
    var isOfRun = true
  }

  private let poller: Poller
  private let listening: Int32
  private var connections: [UInt64: Connection] = [:]
  /// The connections of the run.
  private var open = 0
  /// 0 is the listening socket, 1 the standard input.
  private var lastID: UInt64 = 1
  private var referee = Referee(scenario: 0)
  private var due: [(at: ContinuousClock.Instant, move: Referee.Move)] = []
  private var idleRequest: UInt64?
  /// When requests without an answer are answered with "wrong", and `idle` gives up.
  private var deadline: ContinuousClock.Instant?
  private var limit = Duration.zero
  private var unanswered = 0
  /// The deadline has passed: every answer is wrong.
  private var isOver = false

  init() throws {
    _ = Socket.raiseLimit()
    poller = try Poller()
    let port: UInt16
    (listening, port) = try Socket.listen()
    poller.add(listening, id: 0)
    poller.add(STDIN_FILENO, id: 1)
    print(port)
    fflush(nil)
  }

  func run() {
    while true {
      let now = ContinuousClock.now
      let next = (due.map(\.at) + [deadline].compactMap { $0 }).min()
      let wait = next.map { Int32(clamping: Int(max(0, ($0 - now) / .milliseconds(1))) + 1) } ?? -1
      for event in poller.wait(milliseconds: wait) {
        switch event.id {
        case 0: accept()
        case 1: return
        default: read(event.id)
        }
      }
      perform()
    }
  }

  private func accept() {
    while let socket = Socket.accept(from: listening) {
      lastID += 1
      open += 1
      connections[lastID] = Connection(socket: socket)
      poller.add(socket, id: lastID)
    }
  }

  private func read(_ id: UInt64) {
    guard let connection = connections[id] else { return }
    let (isAtEnd, _) = Socket.read(connection.socket, into: &connections[id]!.received)
    if isAtEnd {
      drop(id)
      if connection.isOfRun { enqueue(referee.left(id, at: .now)) }
    } else if connections[id]!.path.isEmpty {
      let words = String(decoding: connections[id]!.received, as: UTF8.self).split(separator: " ")
      if words.count > 1, connections[id]!.received.suffix(4) == [13, 10, 13, 10] {
        connections[id]!.path = String(words[1])
        request(id, String(words[1]))
      }
    }
    if let idleRequest, !isBusy { endIdle(idleRequest) }
  }

  private func request(_ id: UInt64, _ path: String) {
    let query = path.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    if !path.dropFirst().prefix(1).allSatisfy(\.isNumber) {
      connections[id]!.isOfRun = false
      open -= 1
    }
    if path.hasPrefix("/start") {
      start(query.split(separator: ",").compactMap { Int($0) })
      answer(id, .text(200, ""))
    } else if path == "/idle" {
      idleRequest = id
      deadline = .now + limit
    } else if path == "/arrived" {
      answer(id, .text(200, "\(referee.arrivals.count)"))
    } else if path.dropFirst().prefix(while: \.isNumber) == "\(referee.scenario)" {
      if isOver {
        answer(id, .wrong("no answer in time"))
      } else {
        enqueue(referee.arrived(id, query: query, at: .now))
      }
    } else {
      answer(id, .text(404, ""))
    }
  }

  /// `/start?scenario,racers,second in milliseconds,1 if the loser of scenario 8 is held,limit in milliseconds`
  private func start(_ values: [Int]) {
    guard values.count == 5 else { return }
    for (id, connection) in connections where connection.isOfRun { drop(id) }
    due = []
    unanswered = 0
    isOver = false
    limit = .milliseconds(values[4])
    deadline = .now + limit
    referee = Referee(
      scenario: values[0], racers: values[1], second: .milliseconds(values[2]), isHeld: values[3] == 1)
  }

  private func enqueue(_ moves: [Referee.Move]) {
    for move in moves {
      if move.delay == .zero { answer(move.id, move.answer) } else { due.append((.now + move.delay, move)) }
    }
  }

  private func perform() {
    let now = ContinuousClock.now
    for (_, move) in due.filter({ $0.at <= now }) { answer(move.id, move.answer) }
    due.removeAll { $0.at <= now }
    guard let time = deadline, time <= now else { return }
    deadline = nil
    isOver = true
    for (id, connection) in connections where connection.isOfRun && !connection.isAnswered {
      unanswered += 1
      answer(id, .wrong("no answer in time"))
    }
    if let idleRequest { endIdle(idleRequest) }
  }

  private var isBusy: Bool { open > 0 || referee.openResources > 0 }

  private func endIdle(_ id: UInt64) {
    let problems = [
      (open, "open"), (unanswered, "not cancelled"), (referee.openResources, "without /8?close"),
    ].filter { $0.0 > 0 }
    idleRequest = nil
    answer(id, .text(200, problems.map { "\($0) \($1)" }.joined(separator: ", ")))
  }

  private func answer(_ id: UInt64, _ answer: Referee.Answer) {
    guard let connection = connections[id], !connection.isAnswered else { return }
    connections[id]!.isAnswered = true
    referee.answered(id)
    switch answer {
    case .hangUp: drop(id)
    case .text(let status, let body):
      Socket.write(
        "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Other")\r\nContent-Length: \(body.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(body)", to: connection.socket)
      shutdown(connection.socket, Int32(SHUT_WR))
    }
  }

  private func drop(_ id: UInt64) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    if connection.isOfRun { open -= 1 }
    Socket.reset(connection.socket)
  }
}
