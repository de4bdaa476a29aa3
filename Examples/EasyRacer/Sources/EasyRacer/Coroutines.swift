import Coroutines
import Dispatch

struct CoroutinesRacer: Racer {
  let track: Track

  func answer(to scenario: Int) async throws -> String {
    try await CoFuture { try solve(scenario) }.value
  }

  func solve(_ scenario: Int) throws -> String {
    switch scenario {
    case 3: try CoGroup.any(Array(repeating: { try get("/3") }, count: track.racers))
    case 4: try CoGroup.any({ try get("/4") }, { try Coroutine.withTimeout(track.second) { try get("/4") } })
    case 6: try CoGroup.any({ try get("/6") }, { try get("/6") }, { try get("/6") })
    case 7: try CoGroup.any({ try get("/7") }, { try get("/7", after: track.second * 3) })
    case 8: try CoGroup.any(useResource, useResource)
    case 9: try letters()
    case 10: try computation()
    case 11: try CoGroup.any({ try get("/11") }, { try CoGroup.any({ try get("/11") }, { try get("/11") }) })
    default: try CoGroup.any({ try get("/\(scenario)") }, { try get("/\(scenario)") })
    }
  }

  func get(_ path: String, after delay: Duration = .zero) throws -> String {
    try Coroutine.delay(delay)
    return try track.await(path)
  }

  @Sendable func useResource() throws -> String {
    let id = try get("/8?open")
    defer { Coroutine.shielded { _ = try? get("/8?close=\(id)") } }
    return try get("/8?use=\(id)")
  }

  func letters() throws -> String {
    let arrivals = CoChannel<String?>(capacity: 10)
    for _ in 1...10 { Coroutine.start { try arrivals.awaitSend(try? get("/9")) } }
    return try (1...10).compactMap { _ in try arrivals.awaitReceive() }.joined()
  }

  func computation() throws -> String {
    let computing = DispatchQueue.global().coroutineFuture { while !Coroutine.isCancelled { compute() } }
    CoFuture { try get("/10?coroutines") }.whenComplete { _ in computing.cancel() }
    let meter = LoadMeter()
    while true {
      do { return try get("/10?coroutines=\(meter.load)") } catch GetError.goOn {}
      try Coroutine.delay(track.second)
    }
  }
}
