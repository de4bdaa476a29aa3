import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct TimeoutTests {
  @Test func `a body in time has its result, and no timer is left`() async throws {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      try Coroutine.withTimeout(.seconds(2), on: timer) {
        try Coroutine.delay(.seconds(1), on: timer)
        return 5
      }
    }
    timer.advance(by: .seconds(1))
    #expect(try await future.value == 5)
    #expect(timer.pendingCount == 0)
  }

  @Test func `time ends what the body awaits`() async {
    let timer = ManualCoTimer()
    let promise = CoPromise<Int>()
    let log = Log<String>()
    let future = Coroutine.start {
      try Coroutine.withTimeout(.seconds(2), on: timer) {
        do { return try promise.await() } catch {
          log.append("\(type(of: error)), cancelled: \(Coroutine.isCancelled)")
          throw error
        }
      }
    }
    timer.advance(by: .seconds(2))
    await #expect(throws: CoroutineError.timedOut) { try await future.value }
    #expect(log.entries == ["CancellationError, cancelled: true"])
  }

  @Test func `time ends the groups that the body runs`() async {
    let timer = ManualCoTimer()
    let promise = CoPromise<Int>()
    let log = Log<Int>()
    let future = Coroutine.start {
      try Coroutine.withTimeout(.seconds(1), on: timer) {
        try CoGroup.run { group in
          for number in 0..<3 {
            _ = try group.async {
              defer { log.append(number) }
              return try promise.await()
            }
          }
        }
      }
    }
    timer.advance(by: .seconds(1))
    await #expect(throws: CoroutineError.timedOut) { try await future.value }
    #expect(log.entries == [0, 1, 2])
  }

  @Test func `the coroutine goes on after`() async throws {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      #expect(throws: CoroutineError.timedOut) {
        try Coroutine.withTimeout(.seconds(1), on: timer) { try Coroutine.delay(.seconds(5), on: timer) }
      }
      #expect(!Coroutine.isCancelled)
      try Coroutine.delay(.seconds(1), on: timer)
      return timer.now
    }
    timer.advance(by: .seconds(2))
    #expect(try await future.value == .seconds(2))
  }

  @Test func `a late body is timed out whatever it returns`() async {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      try Coroutine.withTimeout(.seconds(1), on: timer) {
        timer.advance(by: .seconds(1))
        return 1
      }
    }
    await #expect(throws: CoroutineError.timedOut) { try await future.value }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `without time the body never begins`(duration: Duration) async {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      try Coroutine.withTimeout(duration, on: timer) { Issue.record("it began") }
    }
    await #expect(throws: CoroutineError.timedOut) { try await future.value }
    #expect(timer.pendingCount == 0)
  }

  @Test func `a body's own error is thrown and so is a cancellation from outside`() async {
    let timer = ManualCoTimer()
    let failing = Coroutine.start { try Coroutine.withTimeout(.seconds(1), on: timer) { throw Failure() } }
    await #expect(throws: Failure()) { try await failing.value }
    let cancelled = Coroutine.start {
      try Coroutine.withTimeout(.seconds(1), on: timer) { try Coroutine.delay(.seconds(1), on: timer) }
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(timer.pendingCount == 0)
  }

  /// The inner timeout does not undo the outer one.
  @Test(arguments: [1, 2, 3]) func `timeouts nest`(outer: Int) async {
    let timer = ManualCoTimer()
    let log = Log<String>()
    let future = Coroutine.start {
      try Coroutine.withTimeout(.seconds(outer), on: timer) {
        do {
          try Coroutine.withTimeout(.seconds(2), on: timer) { try Coroutine.delay(.seconds(9), on: timer) }
        } catch { log.append("\(error)") }
        try Coroutine.delay(.seconds(9), on: timer)
      }
    }
    timer.advance(by: .seconds(2))
    // With equal deadlines the outer one, which was set first, is first.
    #expect(log.entries == [outer < 3 ? "CancellationError()" : "timedOut"])
    #expect(future.isResolved == (outer < 3))
    timer.advance(by: .seconds(1))
    await #expect(throws: CoroutineError.timedOut) { try await future.value }
  }

  @Test(arguments: [nil, 2] as [Int?])
  func `elements of a map have timeouts of their own`(limit: Int?) async throws {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      try CoGroup.run(limit: limit) { group in
        try group.map(Array(0..<4)) { number -> Int in
          let result = try? Coroutine.withTimeout(.seconds(2), on: timer) {
            try Coroutine.delay(.seconds(number.isMultiple(of: 2) ? 1 : 3), on: timer)
            return number
          }
          try Coroutine.delay(.seconds(1), on: timer)
          return result ?? -1
        }
      }
    }
    timer.advance(by: .seconds(10))
    #expect(try await future.value == [0, -1, 2, -1])
  }

  /// An inner group that has failed leaves the outer one's cancellation.
  @Test func `an inner group's end leaves the outer cancellation`() async {
    let timer = ManualCoTimer()
    let log = Log<Bool>()
    let future = Coroutine.start {
      try CoGroup.run { outer in
        try? CoGroup.run { inner in
          _ = try inner.async { () throws -> Int in throw Failure() }
          outer.cancel()
        }
        log.append(Coroutine.isCancelled)
        try Coroutine.delay(.seconds(1), on: timer)
        Issue.record("the outer scope was cancelled")
      }
    }
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(log.entries == [true])
  }

  /// Time and the result come at once: one of them wins, and the next await knows nothing of it.
  @Test func `a timeout that races ends the body one way`() async throws {
    for _ in 0..<300 {
      let value = try await Coroutine.start {
        let result = try? Coroutine.withTimeout(.microseconds(20)) {
          try Coroutine.delay(.microseconds(20))
          return 1
        }
        #expect(result == nil || result == 1)
        try Coroutine.delay(.nanoseconds(1))
        return 7
      }.value
      #expect(value == 7)
    }
  }
}
