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

  @Test func `a completion that comes at once does not suspend`() async throws {
    let value = try await finish {
      try Coroutine.withContinuation(of: Int.self) { continuation in
        continuation.resume(returning: 7)
      }
    }
    #expect(value == 7)
  }

  @Test func `a completion on another thread resumes`() async throws {
    let sum = try await finish {
      var sum = 0
      for number in 1...100 {
        sum += try Coroutine.withContinuation(of: Int.self) { continuation in
          DispatchQueue.global().async { continuation.resume(returning: number) }
        }
      }
      return sum
    }
    #expect(sum == 5050)
  }

  @Test func `errors and defers keep their order across suspensions`() async throws {
    let log = Mutex<[String]>([])
    await #expect(throws: Failure(number: 3)) {
      try await finish { () throws -> Int in
        defer { log.withLock { $0.append("outer") } }
        defer { log.withLock { $0.append("inner") } }
        return try Coroutine.withContinuation(of: Int.self) { continuation in
          DispatchQueue.global().async { continuation.resume(throwing: Failure(number: 3)) }
        }
      }
    }
    #expect(log.withLock { $0 } == ["inner", "outer"])
  }

  private final class Box: @unchecked Sendable { var value = 0 }

  /// Swift tracks open accesses per thread: this crashes if the coroutine does not take its own along.
  @Test func `it may suspend inside an inout access and resume elsewhere`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let box = Box()
          try await self.finish(on: DispatchQueue.global()) {
            @Sendable func add(_ value: inout Int) throws {
              value += try Coroutine.withContinuation(of: Int.self) { continuation in
                DispatchQueue.global().async { continuation.resume(returning: 1) }
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

  @Test func `a group returns when its coroutines have finished`() async throws {
    let values = try await finish {
      try CoGroup.run(limit: 3) { group in
        let futures = try (0..<50).map { number in
          try group.async {
            try Coroutine.withContinuation(of: Int.self) { continuation in
              DispatchQueue.global().async { continuation.resume(returning: number) }
            }
          }
        }
        return try futures.map { try $0.await() }
      }
    }
    #expect(values == Array(0..<50))
  }

  @Test func `the first error of a group cancels the others and is thrown`() async {
    let cancelled = Atomic<Int>(0)
    await #expect(throws: Failure(number: 1)) {
      try await finish {
        try CoGroup.run { group in
          for _ in 0..<10 {
            try group.async {
              try Coroutine.withContinuation(
                of: Int.self,
                cancel: { continuation in
                  cancelled.add(1, ordering: .relaxed)
                  continuation.resume(throwing: CancellationError())
                }, { $0 })
            }
          }
          _ = try group.async { () throws -> Int in throw Failure(number: 1) }
        }
      }
    }
    #expect(cancelled.load(ordering: .relaxed) == 10)
  }

  @Test func `many coroutines can be suspended at once`() async throws {
    // Thread Sanitizer keeps a quarter of a megabyte for each.
    let count = context_is_sanitized ? 2_000 : 40_000
    let waiting = Mutex<[CoContinuation<Int>]>([])
    let sum = Atomic<Int>(0)
    for _ in 0..<count {
      Coroutine.start {
        let value = try? Coroutine.withContinuation(of: Int.self) { continuation in
          waiting.withLock { $0.append(continuation) }
        }
        sum.add(value ?? 0, ordering: .relaxed)
      }
    }
    for continuation in waiting.withLock({ $0 }) { continuation.resume(returning: 1) }
    #expect(sum.load(ordering: .relaxed) == count)
  }
}
