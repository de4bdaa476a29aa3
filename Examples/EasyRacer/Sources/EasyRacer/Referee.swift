/// The rules of a scenario's run: what the server answers to each request, and when. It knows no sockets.
struct Referee {
  enum Answer: Equatable {
    case text(Int, String)
    /// Closes the connection without an answer.
    case hangUp

    static let right = text(200, "right")

    static func wrong(_ why: String) -> Answer { .text(200, "wrong: \(why)") }
  }

  struct Move {
    let id: UInt64
    let answer: Answer
    var delay: Duration = .zero
  }

  typealias Instant = ContinuousClock.Instant

  /// Before the client sets a timer: a request may arrive late, and waits are counted from here.
  private let start = Instant.now

  let scenario: Int
  /// The number of requests that scenario 3 waits for.
  let racers: Int
  /// The length of the scenario's second.
  let second: Duration
  /// Scenario 8: the loser uses its resource until it is cancelled, instead of getting a 500.
  let isHeld: Bool

  /// The requests, in the order of arrival.
  private(set) var arrivals: [UInt64] = []
  private var afterTimeout: Answer?
  private var opened = 0
  private var closed: Set<String> = []
  private var users: [(id: UInt64, resource: String)] = []
  private var letters: [(id: UInt64, letter: String)] = []
  private var highestLoad = 0.0
  private var reports = (during: 0, after: 0)
  private var isComputing = false

  init(scenario: Int, racers: Int = 0, second: Duration = .seconds(1), isHeld: Bool = false) {
    self.scenario = scenario
    self.racers = racers
    self.second = second
    self.isHeld = isHeld
  }

  var openResources: Int { opened - closed.count }

  /// A request has arrived; `query` follows its question mark.
  mutating func arrived(_ id: UInt64, query: String, at now: Instant) -> [Move] {
    arrivals.append(id)
    let ids = arrivals
    switch (scenario, ids.count) {
    case (1, 2): return [Move(id: ids[0], answer: .right)]
    case (2, 2), (11, 3):
      return [Move(id: ids[0], answer: .hangUp), Move(id: ids[1], answer: .right, delay: second / 10)]
    case (3, racers): return [Move(id: ids[racers / 2], answer: .right)]
    case (4, _): return afterTimeout.map { [Move(id: id, answer: $0)] } ?? []
    case (5, 2), (6, 3): return [Move(id: ids[0], answer: .text(500, ""))]
    case (7, 2):
      let isHedge = now - start >= second * 2.9
      return isHedge
        ? [Move(id: ids[1], answer: .right)]
        : ids.map { Move(id: $0, answer: .wrong("the second request came too early")) }
    case (8, _): return resource(id, query)
    case (9, 10):
      letters = zip([7, 2, 9, 4, 0].map { ids[$0] }, "right").map { ($0, String($1)) }
      return [1, 3, 5, 6, 8].map { Move(id: ids[$0], answer: .text(500, "")) } + [nextLetter(after: .zero)]
    case (10, _): return computation(id, query)
    case (..<1, _), (12..., _): return [Move(id: id, answer: .text(404, ""))]
    default: return []
    }
  }

  /// A client has closed its connection, with or without an answer.
  mutating func left(_ id: UInt64, at now: Instant) -> [Move] {
    if scenario == 4 { return timedOut(id, at: now) }
    guard scenario != 3, let index = arrivals.firstIndex(of: id) else { return [] }
    let others = arrivals.filter { $0 != id }
    switch scenario {
    case 5 where index == 0 && arrivals.count == 2, 6 where index == 0 && arrivals.count == 3:
      return [Move(id: others[0], answer: .right)]
    case 9 where letters.first?.id == id:
      letters.removeFirst()
      // Long enough for the client to act on this answer first.
      return letters.isEmpty ? [] : [nextLetter(after: max(second / 2, .milliseconds(150)))]
    default: return []
    }
  }

  /// Scenario 10: the blocking request was answered.
  mutating func answered(_ id: UInt64) {
    if scenario == 10, id == arrivals.first { isComputing = false }
  }

  /// The request may have arrived too late, and so may the other.
  private mutating func timedOut(_ id: UInt64, at now: Instant) -> [Move] {
    if afterTimeout != nil { return [] }
    let answer = now - start >= second * 0.9 ? Answer.right : .wrong("the timeout came too early")
    afterTimeout = answer
    return arrivals.filter { $0 != id }.map { Move(id: $0, answer: answer) }
  }

  private func nextLetter(after delay: Duration) -> Move {
    Move(id: letters[0].id, answer: .text(200, letters[0].letter), delay: delay)
  }

  private mutating func resource(_ id: UInt64, _ query: String) -> [Move] {
    if query == "open" {
      opened += 1
      return [Move(id: id, answer: .text(200, "\(opened)"))]
    }
    let parts = query.split(separator: "=")
    guard parts.count == 2, (1...max(1, opened)).map(String.init).contains(String(parts[1])) else {
      return [Move(id: id, answer: .text(404, ""))]
    }
    let name = String(parts[1])
    if parts[0] == "use" {
      users.append((id, name))
      guard users.count == 2 else { return [] }
      return [isHeld ? Move(id: id, answer: .right) : Move(id: users[0].id, answer: .text(500, ""))]
    }
    closed.insert(name)
    let isLoser = users.count == 2 && users[0].resource == name && !isHeld
    return [Move(id: id, answer: .text(200, ""))] + (isLoser ? [Move(id: users[1].id, answer: .right)] : [])
  }

  private mutating func computation(_ id: UInt64, _ query: String) -> [Move] {
    guard let load = query.split(separator: "=").dropFirst().first.flatMap({ Double($0) }) else {
      isComputing = true
      // Reports of the load may come first.
      arrivals = [id]
      return [Move(id: id, answer: .text(200, ""), delay: second * 5)]
    }
    if isComputing || reports.during == 0 {
      highestLoad = max(highestLoad, load)
      reports.during += 1
      return [Move(id: id, answer: .text(302, ""))]
    }
    reports.after += 1
    // A tenth: on a shared machine a computation may get no more.
    if load >= 0.1, reports.after <= 20 { return [Move(id: id, answer: .text(302, ""))] }
    let isRight = load < 0.1 && highestLoad >= 0.1 && reports.during > 1
    return [Move(id: id, answer: isRight ? .right : .text(400, ""))]
  }
}
