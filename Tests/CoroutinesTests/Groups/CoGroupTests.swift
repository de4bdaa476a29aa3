import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoGroupTests {
  @Test func `children clean up before the group ends`() async throws {
    let (log, promise) = (Log<String>(), CoPromise<Void>())
    let future = Coroutine.start {
      defer { log.append("owner") }
      try CoGroup.run { group in
        defer { log.append("body") }
        for number in 1...2 {
          _ = try group.async {
            defer { log.append("child \(number)") }
            try promise.await()
          }
        }
      }
      log.append("after")
    }
    #expect(log.entries == ["body"])
    promise.success(())
    try await future.value
    #expect(log.entries == ["body", "child 1", "child 2", "after", "owner"])
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `an error cancels siblings in every order`(seed: UInt64) async {
    let scheduler = SeededScheduler(seed: seed)
    let (ended, never) = (Counter(), CoPromise<Int>())
    let future = Coroutine.start(on: scheduler) {
      try CoGroup.run(on: scheduler) { group in
        for number in 0..<5 {
          _ = try group.async { () throws -> Int in
            defer { ended.add() }
            if number == 3 { throw Failure(code: 3) }
            return try never.await()
          }
        }
        _ = try never.await()
      }
    }
    scheduler.run()
    await #expect(throws: Failure(code: 3)) { try await future.value }
    // Only those that had started.
    #expect((1...5).contains(ended.current))
  }

  /// Whenever the owner's scheduler runs it.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `nothing starts in a group once its owner is cancelled`(seed: UInt64) async {
    let (scheduler, log) = (SeededScheduler(seed: seed), Log<Int>())
    let future = Coroutine.start(on: scheduler) {
      try CoGroup.run { outer in
        try outer.map([1]) { _ in
          try CoGroup.run(on: scheduler) { inner in try inner.map(Array(0..<3)) { log.append($0) } }
        }
      }
    }
    #expect(scheduler.runOne())
    future.cancel()
    scheduler.run()
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(log.entries == [])
  }

  @Test func `a group that is shielded goes on when its owner is cancelled`() async throws {
    let (scheduler, log) = (SeededScheduler(seed: 1), Log<Int>())
    let future = Coroutine.start(on: scheduler) {
      try Coroutine.shielded {
        try CoGroup.run(on: scheduler) { group in try group.map(Array(0..<3)) { log.append($0) } }
      }
    }
    #expect(scheduler.runOne())
    future.cancel()
    scheduler.run()
    _ = try await future.value
    #expect(log.entries.sorted() == [0, 1, 2])
  }

  @Test func `a child that is cancelled by itself leaves the others`() async throws {
    let promises = (0..<2).map { _ in CoPromise<Int>() }
    let future = Coroutine.start {
      try CoGroup.run { group in
        let children = try promises.map { promise in try group.async { try promise.await() } }
        children[0].cancel()
        return try children[1].await()
      }
    }
    promises[1].success(5)
    #expect(try await future.value == 5)
  }

  @Test func `cancelling a group reaches groups in its children`() async {
    let (ended, never) = (Counter(), CoPromise<Int>())
    let future = Coroutine.start {
      try CoGroup.run { outer in
        _ = try outer.async {
          try CoGroup.run { inner in
            for _ in 0..<3 {
              _ = try inner.async {
                defer { ended.add() }
                return try never.await()
              }
            }
          }
        }
        outer.cancel()
      }
    }
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(ended.current == 3)
  }

  /// Neither a coroutine nor its captures, not even for a moment on another thread.
  @Test func `nothing outlives the group`() async throws {
    for _ in 0..<100 {
      let alive = Counter()
      try await Coroutine.start(on: DispatchQueue.global()) {
        try CoGroup.run(on: DispatchQueue.global()) { group in
          for _ in 0..<8 {
            let captured = Witness(alive)
            _ = try group.async { [captured] in
              let own = Witness(alive)
              Coroutine.yield()
              withExtendedLifetime((captured, own)) {}
            }
          }
        }
        #expect(alive.current == 0)
      }.value
    }
  }
}
