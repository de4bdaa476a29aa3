import Coroutines
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct CoFutureTests {
  /// To be kept to the end of a test: one that is let go of answers for itself.
  private func promises(_ count: Int) -> [CoPromise<Int>] { (0..<count).map { _ in CoPromise() } }

  private func failed(_ code: Int = 1) -> CoFuture<Int> {
    let promise = CoPromise<Int>()
    promise.fail(Failure(code: code))
    return promise.future
  }

  private func ready(_ value: Int) -> CoFuture<Int> {
    let promise = CoPromise<Int>()
    promise.succeed(value)
    return promise.future
  }

  /// Thread Sanitizer reports it if reading the value is an access that could change it.
  @Test func aFutureThatWaitsForItselfFails() async {
    let own = Own()
    let (succeeding, failing) = (CoPromise<Int>(), CoPromise<Int>())
    own.set(succeeding.future.flatMap { _ in own.future })
    succeeding.succeed(1)
    await #expect(throws: CoroutineError.waitsForItself) { try await own.future.value }
    own.set(failing.future.flatRecover { _ in own.future })
    failing.fail(Failure(code: 1))
    await #expect(throws: CoroutineError.waitsForItself) { try await own.future.value }
    own.set(nil)
  }

  @Test func aValueIsReadOnSeveralThreadsAtOnce() {
    let future = ready(7)
    let readers = Counter()
    onThreads(4) { _ in
      let values = (0..<100).compactMap { _ in try? future.await() }
      if values == Array(repeating: 7, count: 100) { readers.add() }
    }
    #expect(readers.current == 4)
  }

  // MARK: One after another

  @Test func stepsFollowTheValueOrTheError() async throws {
    let promise = CoPromise<Int>()
    let text = promise.future.map { $0 + 1 }.flatMap { value in self.ready(value * 2) }.map { "\($0)" }
    promise.succeed(3)
    promise.succeed(4)
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

  @Test func anErrorIsRecoveredAndAValueIsNot() async throws {
    #expect(try await failed(4).recover { ($0 as? Failure)?.code ?? 0 }.value == 4)
    #expect(try await failed().flatRecover { _ in self.ready(5) }.value == 5)
    #expect(try await ready(1).recover { _ in 9 }.value == 1)
    #expect(try await ready(1).flatRecover { _ in self.ready(9) }.value == 1)
    await #expect(throws: Failure(code: 2)) {
      try await failed().recover { _ in throw Failure(code: 2) }.value
    }
  }

  @Test func aCoroutineAwaitsAStepOfAnothersResult() async throws {
    let promise = CoPromise<Int>()
    let doubled = Coroutine.start { try promise.future.await() * 2 }.map { $0 + 1 }
    let outcome = Coroutine.start { try doubled.await() }
    promise.succeed(4)
    #expect(try await outcome.value == 9)
  }

  @Test func manyStepsNeedNoStack() async throws {
    let count = Effort.count(100_000, thorough: 1_000_000)
    let promise = CoPromise<Int>()
    var future = promise.future
    for _ in 0..<count { future = future.map { $0 + 1 } }
    // On a coroutine's small stack.
    Coroutine.start(stackByteCount: 16 << 10) { promise.succeed(0) }
    #expect(try await future.value == count)
  }

  @Test func aHundredThousandStepsAreCancelledFromTheEndWithoutStack() async {
    let promise = CoPromise<Int>()
    let cancelled = Counter()
    promise.onCancel { cancelled.add() }
    var future = promise.future
    for _ in 0..<100_000 { future = future.map { $0 + 1 } }
    Coroutine.start(stackByteCount: 16 << 10) { [future] in future.cancel() }
    #expect(cancelled.current == 1)
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  /// Each step makes the next: of futures that are ready, and of ones that come later.
  @Test(arguments: [true, false]) func aRecursionOfAHundredThousandNeedsNoStack(isReady: Bool) async throws {
    let later = Log<CoPromise<Int>>()
    @Sendable func count(down number: Int) -> CoFuture<Int> {
      let promise = CoPromise<Int>()
      if isReady { promise.succeed(number) } else { later.append(promise) }
      return promise.future.flatMap { $0 == 0 ? self.ready(42) : count(down: $0 - 1) }
    }
    let depth = isReady ? 100_000 : 2_000
    let future = Coroutine.start(stackByteCount: 16 << 10) { count(down: depth) }.flatMap { $0 }
    if !isReady { for number in (0...depth).reversed() { later.entries[depth - number].succeed(number) } }
    #expect(try await future.value == 42)
  }

  /// A callback that waits for one whose turn has not come.
  @Test func aCallbackMayAwaitAStepThatIsReady() async throws {
    let promise = CoPromise<Int>()
    let sum = promise.future.map { value in try self.ready(value).map { $0 + 1 }.await() }
    Coroutine.start { promise.succeed(1) }
    #expect(try await sum.value == 2)
  }

  // MARK: Several

  @Test func allKeepTheirOrderWhateverComesFirst() async throws {
    let promises = promises(5)
    defer { withExtendedLifetime(promises) {} }
    let all = CoFuture.all(promises.map(\.future))
    for index in [3, 0, 4, 2, 1] {
      #expect(!all.isResolved)
      promises[index].succeed(index)
    }
    #expect(try await all.value == [0, 1, 2, 3, 4])
    #expect(try await CoFuture.all([CoFuture<Int>]()).value == [])
    #expect(try await CoFuture.all((0..<3).map(ready)).value == [0, 1, 2])
  }

  @Test func theFirstErrorEndsAllAndCancelsTheOthers() async {
    let promises = promises(4)
    defer { withExtendedLifetime(promises) {} }
    let cancelled = Log<Int>()
    for index in 0..<4 { promises[index].onCancel { cancelled.append(index) } }
    let shared = promises[3].future.map { $0 }
    let all = CoFuture.all(promises.map(\.future))
    promises[0].succeed(0)
    promises[1].fail(Failure(code: 1))
    await #expect(throws: Failure(code: 1)) { try await all.value }
    // Somebody else waits for the last.
    #expect(cancelled.entries == [2])
    #expect(!shared.isResolved)
  }

  @Test(arguments: [true, false]) func whatHasFailedWaitsForNoneOfTheOthers(isLate: Bool) {
    let (promise, cancelled) = (CoPromise<Int>(), Counter())
    promise.onCancel { cancelled.add() }
    let other = promise.future.map { $0 }
    let late = CoPromise<Int>()
    let all = CoFuture.all([isLate ? late.future : failed(), promise.future])
    late.fail(Failure())
    #expect(all.isResolved)
    #expect(cancelled.current == 0)
    other.cancel()
    #expect(cancelled.current == 1)
  }

  @Test func zipKeepsTheTypes() async throws {
    let (number, text, flag) = (CoPromise<Int>(), CoPromise<String>(), CoPromise<Bool>())
    let zipped = CoFuture.zip(number.future, text.future, flag.future)
    flag.succeed(true)
    number.succeed(1)
    text.succeed("a")
    let values = try await zipped.value
    #expect(values == (1, "a", true))
    let six = CoFuture.zip(ready(1), ready(2), ready(3), ready(4), ready(5), text.future)
    #expect(try await six.value == (1, 2, 3, 4, 5, "a"))
    await #expect(throws: Failure(code: 1)) { _ = try await CoFuture.zip(ready(1), failed()).value }
  }

  @Test func anyTakesTheFirstValueAndCancelsTheOthers() async throws {
    let promises = promises(3)
    defer { withExtendedLifetime(promises) {} }
    let cancelled = Log<Int>()
    for index in 0..<3 { promises[index].onCancel { cancelled.append(index) } }
    let first = CoFuture.any(promises.map(\.future))
    promises[1].fail(Failure())
    #expect(!first.isResolved)
    promises[2].succeed(2)
    #expect(try await first.value == 2)
    #expect(cancelled.entries == [0])
  }

  @Test(arguments: [0, 3]) func ifAllFailAnyListsTheirErrorsInOrder(count: Int) async {
    let promises = promises(count)
    defer { withExtendedLifetime(promises) {} }
    let first = CoFuture.any(promises.map(\.future))
    for index in (0..<count).reversed() { promises[index].fail(Failure(code: index)) }
    let error = await #expect(throws: AllFuturesFailed.self) { try await first.value }
    #expect(error?.errors.compactMap { ($0 as? Failure)?.code } == Array(0..<count))
  }

  // MARK: Cancellation

  @Test func cancellationTravelsUpToTheProducerOnce() async {
    let promise = CoPromise<Int>()
    let handled = Log<Int>()
    promise.onCancel { handled.append(1) }
    promise.onCancel { handled.append(2) }
    let end = promise.future.map { $0 }.flatMap { self.ready($0) }.recover { _ in 0 }
    end.cancel()
    end.cancel()
    #expect(handled.entries == [1, 2])
    promise.onCancel { handled.append(3) }
    #expect(handled.entries == [1, 2, 3])
    await #expect(throws: CancellationError.self) { try await end.value }
    #expect(promise.future.isResolved)
  }

  @Test func whatSomebodyElseWaitsForIsNotCancelled() async throws {
    let promise = CoPromise<Int>()
    let (one, other) = (promise.future.map { $0 }, promise.future.map { $0 })
    one.cancel()
    #expect(!promise.future.isResolved)
    promise.succeed(3)
    #expect(try await other.value == 3)
    await #expect(throws: CancellationError.self) { try await one.value }
  }

  @Test func cancellingAStepCancelsTheCoroutineItComesFrom() async {
    let never = CoPromise<Int>()
    let coroutine = Coroutine.start { try never.future.await() }
    let step = coroutine.map { $0 }
    step.cancel()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    #expect(!never.future.isResolved)
  }

  @Test func cancellingAFlatMapCancelsTheOneUnderWay() {
    let (outer, inner) = (CoPromise<Int>(), CoPromise<Int>())
    let future = outer.future.flatMap { _ in inner.future }
    outer.succeed(1)
    future.cancel()
    #expect(inner.future.isResolved)
  }

  @Test func cancellingACombinationCancelsAllThatItWaitsFor() {
    let promises = promises(3)
    defer { withExtendedLifetime(promises) {} }
    let all = CoFuture.all(promises.map(\.future))
    promises[0].succeed(1)
    all.cancel()
    #expect(promises.map(\.future).allSatisfy { $0.isResolved })
  }

  // MARK: Time

  @Test func aTimeoutFailsTheFutureAndCancelsItsSource() async {
    let timer = ManualCoTimer()
    let promise = CoPromise<Int>()
    let limited = promise.future.timeout(.seconds(2), on: timer)
    timer.advance(by: .seconds(2))
    await #expect(throws: CoroutineError.timedOut) { try await limited.value }
    #expect(promise.future.isResolved)
  }

  @Test func aDeadlineIsAMomentOfTheTimer() {
    let timer = ManualCoTimer()
    timer.advance(by: .seconds(5))
    let future = CoPromise<Int>().future.deadline(.seconds(6), on: timer)
    let promise = CoPromise<Int>()
    let limited = promise.future.deadline(.seconds(6), on: timer)
    withExtendedLifetime(promise) { timer.advance(by: .seconds(1)) }
    #expect(future.isResolved && limited.isResolved)
  }

  @Test(arguments: [true, false]) func aTimeoutThatIsNotNeededIsTakenBack(isCancelled: Bool) async throws {
    let timer = ManualCoTimer()
    let promise = CoPromise<Int>()
    let limited = promise.future.timeout(.seconds(2), on: timer)
    #expect(timer.pendingCount == 1)
    if isCancelled { limited.cancel() } else { promise.succeed(1) }
    #expect(limited.isResolved)
    #expect(timer.pendingCount == 0)
    #expect(ready(1).timeout(.seconds(1), on: timer).isResolved)
    #expect(timer.pendingCount == 0)
  }

  // MARK: Ends

  @Test func aPromiseLetGoOfIsAnErrorForAllWhoWait() async {
    var promise: CoPromise<Int>? = CoPromise()
    let future = promise!.future
    let waiting = Coroutine.start { try future.await() }
    let step = future.map { $0 }
    promise = nil
    _ = promise
    await #expect(throws: CoroutineError.dropped) { try await waiting.value }
    await #expect(throws: CoroutineError.dropped) { try await step.value }
    await #expect(throws: CoroutineError.dropped) { try await future.value }
  }

  @Test func nothingIsLeftWhenItIsOver() {
    let census = Counter()
    do {
      let promises = (0..<3).map { _ in CoPromise<Witness>() }
      let witness = Witness(census)
      let all = CoFuture.all(promises.map { $0.future.map { _ in Witness(census) } })
      let first = CoFuture.any(promises.map { $0.future.flatMap { _ in CoPromise<Witness>().future } })
      let cancelled = promises[2].future.map { [witness] _ in witness }
      promises[2].onCancel { [witness] in _ = witness }
      cancelled.cancel()
      for promise in promises { promise.succeed(witness) }
      #expect(all.isResolved && first.isResolved)
      #expect(census.current == 4)
    }
    #expect(census.current == 0)
  }

  /// Sources end, and the whole is cancelled, on several threads at once.
  @Test func combinationsThatRaceEndOnce() async {
    for round in 0..<100 {
      let promises = promises(8)
      defer { withExtendedLifetime(promises) {} }
      let ends = Counter()
      let all = CoFuture.all(promises.map { $0.future.map { $0 } })
      let first = CoFuture.any(promises.map { promise in promise.future.flatMap { self.ready($0) } })
      all.whenDone { _ in ends.add() }
      first.whenDone { _ in ends.add() }
      DispatchQueue.concurrentPerform(iterations: 10) { index in
        switch index {
        case 8: all.cancel()
        case 9: first.cancel()
        default:
          if round.isMultiple(of: 3), index == 5 {
            promises[index].fail(Failure())
          } else {
            promises[index].succeed(index)
          }
        }
      }
      #expect(ends.current == 2)
    }
  }
}

/// A future that a function given to its own making can return.
private final class Own: Sendable {
  private let kept = Mutex<CoFuture<Int>?>(nil)

  var future: CoFuture<Int> { kept.withLock { $0! } }
  func set(_ future: CoFuture<Int>?) { kept.withLock { $0 = future } }
}
