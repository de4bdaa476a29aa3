struct SwiftConcurrencyRacer: Racer {
  let track: Track

  func answer(to scenario: Int) async throws -> String {
    let get = { @Sendable in try await track.get("/\(scenario)") }
    return switch scenario {
    case 3: try await firstValue(of: Array(repeating: get, count: track.racers))
    case 4: try await firstValue(of: [get, { try await withTimeout(track.second, get) }])
    case 6: try await firstValue(of: [get, get, get])
    case 7: try await firstValue(of: [get, hedge])
    case 8: try await firstValue(of: [useResource, useResource])
    case 9: await letters(get)
    case 10: try await computation()
    case 11: try await firstValue(of: [get, { try await firstValue(of: [get, get]) }])
    default: try await firstValue(of: [get, get])
    }
  }

  @Sendable func hedge() async throws -> String {
    try await Task.sleep(for: track.second * 3)
    return try await track.get("/7")
  }

  @Sendable func useResource() async throws -> String {
    let id = try await track.get("/8?open")
    // A new task: in a cancelled one, the request would be cancelled, too.
    defer { Task { try await track.get("/8?close=\(id)") } }
    return try await track.get("/8?use=\(id)")
  }

  func letters(_ get: @escaping Work) async -> String {
    await withTaskGroup(of: String.self) { group in
      for _ in 1...10 { group.addTask { (try? await get()) ?? "" } }
      return await group.reduce("", +)
    }
  }

  func computation() async throws -> String {
    async let _ = firstValue(of: [{ try await track.get("/10?swift") }, computing])
    let meter = LoadMeter()
    while true {
      do { return try await track.get("/10?swift=\(meter.load)") } catch GetError.goOn {}
      try await Task.sleep(for: track.second)
    }
  }

  @Sendable func computing() async throws -> String {
    while !Task.isCancelled { compute() }
    throw CancellationError()
  }
}
