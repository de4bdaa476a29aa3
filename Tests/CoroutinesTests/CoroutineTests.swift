import CContextSwitch
import Coroutines
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineTests {
  private struct Failure: Error, Equatable { let number: Int }

  /// Runs a coroutine to its end from a test.
  private func finish<Value: Sendable>(
    on scheduler: (any CoroutineScheduler)? = nil, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await Coroutine.start(on: scheduler, body).value
  }

  @Test func aCompletionThatComesAtOnceDoesNotSuspend() async throws {
    let value = try await finish {
      try Coroutine.await { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
        done(.success(7))
      }
    }
    #expect(value == 7)
  }

  @Test func aCompletionOnAnotherThreadResumes() async throws {
    let sum = try await finish {
      var sum = 0
      for number in 1...100 {
        sum += try Coroutine.await { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
          DispatchQueue.global().async { done(.success(number)) }
        }
      }
      return sum
    }
    #expect(sum == 5050)
  }

  @Test func aSecondCallOfTheCompletionIsIgnored() async throws {
    let value = try await finish {
      let first: Int = try Coroutine.await {
        (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
        done(.success(1))
        done(.success(2))
      }
      return first
    }
    #expect(value == 1)
  }

  @Test func aDroppedCompletionIsAnErrorNotAHang() async {
    await #expect(throws: CoroutineError.dropped) {
      try await finish { () throws -> Int in
        try Coroutine.await { (_: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in }
      }
    }
  }

  @Test func errorsAndDefersKeepTheirOrderAcrossSuspensions() async throws {
    let log = Mutex<[String]>([])
    await #expect(throws: Failure(number: 3)) {
      try await finish { () throws -> Int in
        defer { log.withLock { $0.append("outer") } }
        defer { log.withLock { $0.append("inner") } }
        return try Coroutine.await { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
          DispatchQueue.global().async { done(.failure(Failure(number: 3))) }
        }
      }
    }
    #expect(log.withLock { $0 } == ["inner", "outer"])
  }

  private final class Box: @unchecked Sendable { var value = 0 }

  /// Swift tracks open accesses per thread: this crashes if the coroutine does not take its own along.
  @Test func itMaySuspendInsideAnInoutAccessAndResumeElsewhere() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let box = Box()
          try await self.finish(on: DispatchQueue.global()) {
            @Sendable func add(_ value: inout Int) throws {
              value += try Coroutine.await {
                (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
                DispatchQueue.global().async { done(.success(1)) }
              }
            }
            for _ in 0..<10 { try add(&box.value) }
          }
          return box.value
        }
      }
      for try await value in group { #expect(value == 10) }
    }
  }

  @Test func aScopeReturnsWhenItsCoroutinesHaveFinished() async throws {
    let values = try await finish {
      try CoScope.run(limit: 3) { scope in
        let futures = try (0..<50).map { number in
          try scope.async {
            try Coroutine.await { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
              DispatchQueue.global().async { done(.success(number)) }
            }
          }
        }
        return try futures.map { try $0.await() }
      }
    }
    #expect(values == Array(0..<50))
  }

  @Test func theFirstErrorOfAScopeCancelsTheOthersAndIsThrown() async {
    let cancelled = Atomic<Int>(0)
    await #expect(throws: Failure(number: 1)) {
      try await finish {
        try CoScope.run { scope in
          for _ in 0..<10 {
            _ = try scope.async { () throws -> Int in
              try Coroutine.await { done in
                {
                  cancelled.add(1, ordering: .relaxed)
                  done(.failure(CancellationError()))
                }
              }
            }
          }
          _ = try scope.async { () throws -> Int in throw Failure(number: 1) }
        }
      }
    }
    #expect(cancelled.load(ordering: .relaxed) == 10)
  }

  @Test func manyCoroutinesCanBeSuspendedAtOnce() async throws {
    // Thread Sanitizer keeps a quarter of a megabyte for each.
    let count = context_is_sanitized ? 2_000 : 40_000
    let waiting = Mutex<[@Sendable (Result<Int, any Error>) -> Void]>([])
    let sum = Atomic<Int>(0)
    for _ in 0..<count {
      Coroutine.start {
        let value = try? Coroutine.await {
          (done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Void in
          waiting.withLock { $0.append(done) }
        }
        sum.add(value ?? 0, ordering: .relaxed)
      }
    }
    for done in waiting.withLock({ $0 }) { done(.success(1)) }
    #expect(sum.load(ordering: .relaxed) == count)
  }
}
