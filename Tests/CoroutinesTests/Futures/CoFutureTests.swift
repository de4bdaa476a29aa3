import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoFutureTests {
  private func failed(_ code: Int = 1) -> CoFuture<Int> { CoFuture(result: .failure(Failure(code: code))) }

  private func ready(_ value: Int) -> CoFuture<Int> { CoFuture(result: .success(value)) }

  @Test func `a value is read on several threads at once`() {
    let future = ready(7)
    let readers = Counter()
    onThreads(4) { _ in
      let values = (0..<100).compactMap { _ in try? future.await() }
      if values == Array(repeating: 7, count: 100) { readers.add() }
    }
    #expect(readers.current == 4)
  }

  // MARK: One after another

  @Test func `steps follow the value or the error`() async throws {
    let promise = CoPromise<Int>()
    let text = promise.map { $0 + 1 }.map { "\($0)" }
    promise.success(3)
    promise.success(4)
    #expect(try await text.value == "4")
    let skipped = failed(7).map { _ -> Int in
      Issue.record("there is no value")
      return 0
    }
    await #expect(throws: Failure(code: 7)) { try await skipped.value }
    await #expect(throws: Failure(code: 2)) {
      try await ready(1).map { _ -> Int in throw Failure(code: 2) }.value
    }
  }

  @Test func `many steps need no stack`() async throws {
    let count = Effort.count(100_000, thorough: 1_000_000)
    let promise = CoPromise<Int>()
    var future: CoFuture<Int> = promise
    for _ in 0..<count { future = future.map { $0 + 1 } }
    // On a coroutine's small stack.
    Coroutine.start(stackByteCount: 16 << 10) { promise.success(0) }
    #expect(try await future.value == count)
  }

  @Test func `a hundred thousand steps are cancelled from the end without stack`() async {
    let promise = CoPromise<Int>()
    let cancelled = Counter()
    promise.whenCanceled { cancelled.add() }
    var future: CoFuture<Int> = promise
    for _ in 0..<100_000 { future = future.map { $0 + 1 } }
    Coroutine.start(stackByteCount: 16 << 10) { [future] in future.cancel() }
    #expect(cancelled.current == 1)
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  /// The callback waits for another callback, whose turn comes after it.
  @Test func `a callback may await a step that is ready`() async throws {
    let promise = CoPromise<Int>()
    let sum = promise.map { value in try self.ready(value).map { $0 + 1 }.await() }
    Coroutine.start { promise.success(1) }
    #expect(try await sum.value == 2)
  }

  // MARK: Cancellation

  @Test func `cancellation travels up to the producer once`() async {
    let promise = CoPromise<Int>()
    let handled = Log<Int>()
    promise.whenCanceled { handled.append(1) }
    promise.whenCanceled { handled.append(2) }
    let end = promise.map { $0 }.map { $0 }
    end.cancel()
    end.cancel()
    #expect(handled.entries == [1, 2])
    promise.whenCanceled { handled.append(3) }
    #expect(handled.entries == [1, 2, 3])
    await #expect(throws: CancellationError.self) { try await end.value }
    #expect(promise.isResolved)
  }

  @Test func `a future with other waiters is not cancelled`() async throws {
    let promise = CoPromise<Int>()
    let (one, other) = (promise.map { $0 }, promise.map { $0 })
    one.cancel()
    #expect(!promise.isResolved)
    promise.success(3)
    #expect(try await other.value == 3)
    await #expect(throws: CancellationError.self) { try await one.value }
  }

  @Test func `cancelling a step cancels the coroutine it comes from`() async {
    let never = CoPromise<Int>()
    let coroutine = Coroutine.start { try never.await() }
    let step = coroutine.map { $0 }
    step.cancel()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    #expect(!never.isResolved)
  }

  // MARK: Time

  @Test func `an await with a timeout throws and leaves the future alone`() async throws {
    let (timer, promise) = (ManualCoTimer(), CoPromise<Int>())
    let waiting = CoFuture { try promise.await(timeout: .seconds(2), on: timer) }
    let other = CoFuture { try promise.await(timeout: .seconds(3), on: timer) }
    timer.advance(by: .seconds(2))
    await #expect(throws: CoroutineError.timedOut) { try await waiting.value }
    promise.success(1)
    #expect(try await other.value == 1)
    #expect(timer.pendingCount == 0)
    #expect(try promise.await(timeout: .seconds(1)) == 1)
  }

  // MARK: Ends

  /// Awaiting the promise itself would hold it.
  @Test func `the futures made from a dropped promise fail`() async {
    var promise: CoPromise<Int>? = CoPromise()
    let kinds: [CoFuture<Int>] = [
      promise!.map { $0 }, promise!.map { $0 }.map { $0 },
    ]
    let waiting = kinds.map { kind in CoFuture { try kind.await() } }
    promise = nil
    for future in waiting { await #expect(throws: CoroutineError.dropped) { try await future.value } }
  }

  @Test func `callbacks of a future that is released unresolved are called`() {
    let log = Log<String>()
    var promise: CoPromise<Int>? = CoPromise()
    promise!.whenComplete { log.append("\($0)") }
    promise!.whenComplete { log.append("complete") }
    promise!.whenSuccess { _ in log.append("success") }
    promise!.whenFailure { log.append("\($0)") }
    promise!.whenCanceled { log.append("cancelled") }
    promise = nil
    #expect(log.entries == ["failure(Coroutines.CoroutineError.dropped)", "complete", "dropped"])
  }

  @Test func `the first answer counts`() async throws {
    let (promise, calls) = (CoPromise<Int>(), Log<Int>())
    #expect(promise.result == nil)
    promise.whenSuccess { calls.append($0) }
    promise.success(1)
    promise.success(2)
    promise.fail(Failure())
    promise.complete(with: .success(3) as Result<Int, Never>)
    promise.cancel()
    #expect(try await promise.value == 1)
    #expect(try promise.result?.get() == 1 && !promise.isCanceled)
    #expect(calls.entries == [1])
  }

  /// For every kind of future, the handlers are called in order, once, by the cancellation.
  @Test func `cancel handlers are called for every kind`() async {
    let (never, source, log) = (CoPromise<Int>(), CoPromise<Int>(), Log<String>())
    let kinds: [(String, AnyCoFuture)] = [
      ("coroutine", CoFuture { try never.await() }), ("promise", CoPromise<Int>()),
      ("map", source.map { $0 }),
    ]
    for (name, future) in kinds {
      for number in 1...2 { future.whenCanceled { log.append("\(name) \(number)") } }
      future.cancel()
      future.cancel()
      #expect(future.isCanceled)
      future.whenCanceled { log.append("at once") }
    }
    #expect(log.entries == kinds.flatMap { ["\($0.0) 1", "\($0.0) 2", "at once"] })
    let done = CoFuture { 1 }
    done.whenCanceled { Issue.record("it was done") }
    done.cancel()
  }

  @Test func `nothing is left when it is over`() {
    let census = Counter()
    do {
      let promises = (0..<3).map { _ in CoPromise<Witness>() }
      let witness = Witness(census)
      let mapped = promises.map { $0.map { _ in Witness(census) } }
      let cancelled = promises[2].map { [witness] _ in witness }
      promises[2].whenCanceled { [witness] in _ = witness }
      cancelled.cancel()
      for promise in promises { promise.success(witness) }
      #expect(mapped.allSatisfy { $0.isResolved })
      #expect(census.current == 4)
    }
    #expect(census.current == 0)
  }

  // MARK: Storage

  /// Kept in the future itself.
  private struct Small: Sendable { let witness: Witness }
  /// Kept behind an address.
  private struct Large: Sendable {
    let witness: Witness
    let numbers = (1, 2, 3, 4, 5, 6)
  }
  private struct Aligned: Sendable { let vector: SIMD8<Float> }

  @Test func `values of every size come through and are released`() async throws {
    let alive = Counter()
    do {
      let small = Coroutine.start { Small(witness: Witness(alive)) }
      let large = Coroutine.start { Large(witness: Witness(alive)) }
      #expect(try await large.value.numbers == (1, 2, 3, 4, 5, 6))
      #expect(try await small.value.witness === (try await small.value.witness))
      #expect(alive.current == 2)
    }
    #expect(alive.current == 0)
  }

  @Test func `a value that needs a wider alignment comes through`() async throws {
    let vector = SIMD8<Float>(1, 2, 3, 4, 5, 6, 7, 8)
    #expect(try await Coroutine.start { Aligned(vector: vector) }.value.vector == vector)
  }

  @Test func `a body's captures are released when it ends`() async throws {
    final class Token: Sendable {}
    weak let released: Token?
    let future: CoFuture<Int>
    do {
      let token = Token()
      released = token
      future = Coroutine.start { withExtendedLifetime(token) { 1 } }
    }
    #expect(released == nil)
    #expect(try await future.value == 1)
  }
}
