import Exploration
import TestSupport
import Testing

/// The three examples of Documentation/Exploring.md, with and without the bug.
@Suite(.ownThread) struct EveryHistoryTests {
  private static let budget = ScheduleBudget.schedules(Effort.count(20_000, thorough: 200_000))

  @Test func `a cache that awaits between look-up and store is not linearizable`() async throws {
    let failure = await #expect(throws: HistoryFailure.self) {
      try await everyHistory(model: [:], Cache.operations) { _ in Cache(isWrong: true) }
    }
    // A put between the look-up and the store of a get is lost.
    let calls = try #require(failure).calls
    #expect(calls.joined(separator: ", ").split(separator: "→").count - 1 <= 3, "\(calls)")
    let report = try await everyHistory(model: [:], Cache.operations, budget: Self.budget) { _ in
      Cache(isWrong: false)
    }
    #expect(report.programs > 2, "\(report)")
  }

  @Test func `a pool that loses the permit of a cancelled task is not linearizable`() async throws {
    let failure = await #expect(throws: HistoryFailure.self) {
      try await everyHistory(model: 1, Pool.operations) { _ in Pool(isWrong: true) }
    }
    #expect(try #require(failure).calls.joined().contains("cancelled"))
    let report = try await everyHistory(model: 1, Pool.operations, budget: Self.budget) { _ in
      Pool(isWrong: false)
    }
    #expect(report.programs > 2, "\(report)")
  }

  @Test func `a rate limiter that awaits between check and count fails, and replays`() async throws {
    let first = await #expect(throws: HistoryFailure.self) {
      try await everyHistory(Limiter.operations) { _ in Limiter(isWrong: true) }
    }
    let found = try #require(first)
    #expect(found.calls.count == 2)
    let again = await #expect(throws: HistoryFailure.self) {
      try await everyHistory(Limiter.operations, following: found.history) { _ in Limiter(isWrong: true) }
    }
    #expect(again?.calls == found.calls)
    #expect(again?.failure.story == found.failure.story)
    // The right form passes, with the same program and with all.
    try await everyHistory(Limiter.operations, following: found.history) { _ in Limiter(isWrong: false) }
    let report = try await everyHistory(Limiter.operations, budget: Self.budget) { _ in
      Limiter(isWrong: false)
    }
    #expect(report.programs > 2, "\(report)")
  }
}

private actor Cache {
  private let isWrong: Bool
  private var values: [String: Int] = [:]
  init(isWrong: Bool) { self.isWrong = isWrong }

  func get(_ key: String) async -> Int {
    if let value = values[key] { return value }
    let loaded = await load(key)
    // Another task may have stored a value.
    if !isWrong, let value = values[key] { return value }
    values[key] = loaded
    return loaded
  }
  func put(_ key: String, _ value: Int) { values[key] = value }
  private func load(_ key: String) async -> Int {
    await Task.yield()
    return 0
  }

  static let operations: [HistoryOperation<Cache, [String: Int]>] = [
    .init("get", ["a"]) { cache, key in
      await cache.get(key)
    } model: { values, key in
      if values[key] == nil { values[key] = 0 }
      return values[key]!
    },
    .init("put", [1, 2]) { cache, value in
      await cache.put("a", value)
    } model: { values, value in
      values["a"] = value
    },
  ]
}

private actor Pool {
  private let isWrong: Bool
  private var free = 1
  private var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  private var ids = 0
  init(isWrong: Bool) { self.isWrong = isWrong }

  /// Returns false if it was cancelled without a permit.
  func take() async -> Bool {
    if free > 0 {
      free -= 1
      return true
    }
    ids += 1
    let id = ids
    let hasPermit = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiting.append((id, continuation))
        }
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
    return hasPermit
  }
  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume(returning: true) }
  }
  var count: Int { free }
  private func cancel(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  /// Takes a permit in a cancelled task, and gives back what it has.
  func useCancelled() async {
    let user = Task {
      guard await self.take() else { return }
      if self.isWrong, Task.isCancelled { return }
      self.give()
    }
    user.cancel()
    await user.value
  }

  static let operations: [HistoryOperation<Pool, Int>] = [
    .init("use") { pool in
      _ = await pool.take()
      await pool.give()
    } model: { permits in
      permits > 0 ? () : nil
    },
    .init("cancelled use") { pool in
      await pool.useCancelled()
    } model: { _ in
      ()
    },
  ]
}

private actor Limiter {
  private let isWrong: Bool
  private let most = 1
  private var passed = 0
  init(isWrong: Bool) { self.isWrong = isWrong }

  func pass() async -> Bool {
    guard passed < most else { return false }
    if !isWrong { passed += 1 }
    // Such as writing a log.
    await Task.yield()
    if isWrong { passed += 1 }
    return true
  }

  static let operations: [HistoryOperation<Limiter, Void>] = [
    .init("pass", [()]) { limiter, _ in await limiter.pass() }
  ]
}
