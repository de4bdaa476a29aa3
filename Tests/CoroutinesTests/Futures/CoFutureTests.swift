import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoFutureTests {
  private func promises(_ count: Int) -> [CoPromise<Int>] { (0..<count).map { _ in CoPromise() } }

  private func failed(_ code: Int = 1) -> CoFuture<Int> {
    CoFuture(result: .failure(Failure(code: code)))
  }

  private func ready(_ value: Int) -> CoFuture<Int> {
    CoFuture(result: .success(value))
  }

  /// Thread Sanitizer reports it if reading the value is an access that could change it.
  @Test func `a future that waits for itself fails`() async {
    let own = Guarded<CoFuture<Int>?>(nil)
    let (succeeding, failing) = (CoPromise<Int>(), CoPromise<Int>())
    _ = own.exchange(succeeding.flatMap { _ in own.withLock { $0! } })
    succeeding.success(1)
    await #expect(throws: CoroutineError.waitsForItself) { try await own.withLock { $0! }.value }
    _ = own.exchange(failing.flatMapError { _ in own.withLock { $0! } })
    failing.fail(Failure(code: 1))
    await #expect(throws: CoroutineError.waitsForItself) { try await own.withLock { $0! }.value }
    _ = own.exchange(nil)
  }

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
    let text = promise.map { $0 + 1 }.flatMap { value in self.ready(value * 2) }.map { "\($0)" }
    promise.success(3)
    promise.success(4)
    #expect(try await text.value == "8")
    let skipped = failed(7).map { _ -> Int in
      Issue.record("there is no value")
      return 0
    }
    await #expect(throws: Failure(code: 7)) { try await skipped.value }
    await #expect(throws: Failure(code: 2)) {
      try await ready(1).map { _ -> Int in throw Failure(code: 2) }.value
    }
    await #expect(throws: Failure(code: 3)) {
      try await ready(1).flatMap { _ -> CoFuture<Int> in throw Failure(code: 3) }.value
    }
  }

  @Test func `an error is recovered and a value is not`() async throws {
    #expect(try await failed(4).recover { ($0 as? Failure)?.code ?? 0 }.value == 4)
    #expect(try await failed().flatMapError { _ in self.ready(5) }.value == 5)
    #expect(try await ready(1).recover { _ in 9 }.value == 1)
    #expect(try await ready(1).flatMapError { _ in self.ready(9) }.value == 1)
    await #expect(throws: Failure(code: 2)) {
      try await failed().recover { _ in throw Failure(code: 2) }.value
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

  /// Each step makes the next: of futures that are ready, and of ones that come later.
  @Test(arguments: [true, false]) func `a recursion of a hundred thousand needs no stack`(isReady: Bool)
    async throws
  {
    let later = Log<CoPromise<Int>>()
    @Sendable func count(down number: Int) -> CoFuture<Int> {
      let promise = CoPromise<Int>()
      if isReady { promise.success(number) } else { later.append(promise) }
      return promise.flatMap { $0 == 0 ? self.ready(42) : count(down: $0 - 1) }
    }
    let depth = isReady ? 100_000 : 2_000
    let future = Coroutine.start(stackByteCount: 16 << 10) { count(down: depth) }.flatMap { $0 }
    if !isReady { for number in (0...depth).reversed() { later.entries[depth - number].success(number) } }
    #expect(try await future.value == 42)
  }

  /// A callback that waits for one whose turn has not come.
  @Test func `a callback may await a step that is ready`() async throws {
    let promise = CoPromise<Int>()
    let sum = promise.map { value in try self.ready(value).map { $0 + 1 }.await() }
    Coroutine.start { promise.success(1) }
    #expect(try await sum.value == 2)
  }

  // MARK: Several

  @Test func `all keep their order whatever comes first`() async throws {
    let promises = promises(5)
    let all = CoFuture.all(promises)
    for index in [3, 0, 4, 2, 1] {
      #expect(!all.isResolved)
      promises[index].success(index)
    }
    #expect(try await all.value == [0, 1, 2, 3, 4])
    #expect(try await CoFuture.all([CoFuture<Int>]()).value == [])
    #expect(try await CoFuture.all((0..<3).map(ready)).value == [0, 1, 2])
  }

  @Test func `the first error ends all and cancels the others`() async {
    let promises = promises(4)
    let cancelled = Log<Int>()
    for index in 0..<4 { promises[index].whenCanceled { cancelled.append(index) } }
    let shared = promises[3].map { $0 }
    let all = CoFuture.all(promises)
    promises[0].success(0)
    promises[1].fail(Failure(code: 1))
    await #expect(throws: Failure(code: 1)) { try await all.value }
    // Somebody else waits for the last.
    #expect(cancelled.entries == [2])
    #expect(!shared.isResolved)
  }

  @Test(arguments: [true, false]) func `what has failed waits for none of the others`(isLate: Bool) {
    let (promise, cancelled) = (CoPromise<Int>(), Counter())
    promise.whenCanceled { cancelled.add() }
    let other = promise.map { $0 }
    let late = CoPromise<Int>()
    let all = CoFuture.all([isLate ? late : failed(), promise])
    late.fail(Failure())
    #expect(all.isResolved)
    #expect(cancelled.current == 0)
    other.cancel()
    #expect(cancelled.current == 1)
  }

  @Test func `any takes the first value and cancels the others`() async throws {
    let promises = promises(3)
    let cancelled = Log<Int>()
    for index in 0..<3 { promises[index].whenCanceled { cancelled.append(index) } }
    let first = CoFuture.any(promises)
    promises[1].fail(Failure())
    #expect(!first.isResolved)
    promises[2].success(2)
    #expect(try await first.value == 2)
    #expect(cancelled.entries == [0])
  }

  @Test(arguments: [0, 3]) func `if all fail any lists their errors in order`(count: Int) async {
    let promises = promises(count)
    let first = CoFuture.any(promises)
    for index in (0..<count).reversed() { promises[index].fail(Failure(code: index)) }
    let error = await #expect(throws: AllFuturesFailed.self) { try await first.value }
    #expect(error?.errors.compactMap { ($0 as? Failure)?.code } == Array(0..<count))
  }

  // MARK: Cancellation

  @Test func `cancellation travels up to the producer once`() async {
    let promise = CoPromise<Int>()
    let handled = Log<Int>()
    promise.whenCanceled { handled.append(1) }
    promise.whenCanceled { handled.append(2) }
    let end = promise.map { $0 }.flatMap { self.ready($0) }.recover { _ in 0 }
    end.cancel()
    end.cancel()
    #expect(handled.entries == [1, 2])
    promise.whenCanceled { handled.append(3) }
    #expect(handled.entries == [1, 2, 3])
    await #expect(throws: CancellationError.self) { try await end.value }
    #expect(promise.isResolved)
  }

  @Test func `what something else waits for is not cancelled`() async throws {
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

  @Test func `cancelling a flat map cancels the one under way`() {
    let (outer, inner) = (CoPromise<Int>(), CoPromise<Int>())
    let future = outer.flatMap { _ in inner }
    outer.success(1)
    future.cancel()
    #expect(inner.isResolved)
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

  /// Those that await the promise itself would hold it.
  @Test func `what is made of a promise that is dropped fails`() async {
    var promise: CoPromise<Int>? = CoPromise()
    let kinds: [CoFuture<Int>] = [
      promise!.map { $0 }, promise!.map { $0 }.flatMap { CoFuture(result: .success($0)) },
      CoFuture.all([promise!, CoFuture { 1 }]).map { $0[0] }, ready(1).flatMap { _ in CoPromise() },
    ]
    let waiting = kinds.map { kind in CoFuture { try kind.await() } }
    promise = nil
    for future in waiting { await #expect(throws: CoroutineError.dropped) { try await future.value } }
    let any = CoFuture.any([CoPromise<Int>()])
    await #expect(throws: AllFuturesFailed.self) { try await any.value }
  }

  @Test func `callbacks of a future that goes unresolved are called`() {
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
    promise.complete(with: ready(4))
    promise.cancel()
    #expect(try await promise.value == 1)
    #expect(try promise.result?.get() == 1 && !promise.isCanceled)
    #expect(calls.entries == [1])
  }

  @Test func `a promise takes over another future`() async throws {
    let (promise, source) = (CoPromise<Int>(), CoPromise<Int>())
    promise.complete(with: source)
    source.success(3)
    #expect(try await promise.value == 3)
    let (cancelled, other) = (CoPromise<Int>(), CoPromise<Int>())
    cancelled.complete(with: other)
    cancelled.cancel()
    #expect(cancelled.isCanceled && other.isCanceled)
  }

  /// Whatever it is made of: the handlers come in order, once, with the request to end.
  @Test func `cancel handlers are called for every kind`() async {
    let (never, sources, log) = (CoPromise<Int>(), promises(2), Log<String>())
    let kinds: [(String, AnyCoFuture)] = [
      ("coroutine", CoFuture { try never.await() }), ("promise", CoPromise<Int>()),
      ("map", sources[0].map { $0 }), ("all", CoFuture.all([sources[1]])),
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
      let all = CoFuture.all(promises.map { $0.map { _ in Witness(census) } })
      let first = CoFuture.any(promises.map { $0.flatMap { _ in CoPromise<Witness>() } })
      let cancelled = promises[2].map { [witness] _ in witness }
      promises[2].whenCanceled { [witness] in _ = witness }
      cancelled.cancel()
      for promise in promises { promise.success(witness) }
      #expect(all.isResolved && first.isResolved)
      #expect(census.current == 4)
    }
    #expect(census.current == 0)
  }

  /// Sources end, and the whole is cancelled, on several threads at once.
  @Test func `combinations that race end once`() async {
    for round in 0..<100 {
      let promises = promises(8)
      let ends = Counter()
      let all = CoFuture.all(promises.map { $0.map { $0 } })
      let first = CoFuture.any(promises.map { promise in promise.flatMap { self.ready($0) } })
      all.whenComplete { _ in ends.add() }
      first.whenComplete { _ in ends.add() }
      DispatchQueue.concurrentPerform(iterations: 10) { index in
        switch index {
        case 8: all.cancel()
        case 9: first.cancel()
        default:
          if round.isMultiple(of: 3), index == 5 {
            promises[index].fail(Failure())
          } else {
            promises[index].success(index)
          }
        }
      }
      #expect(ends.current == 2)
    }
  }
}
