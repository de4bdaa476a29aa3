import Foundation
import Futures
import TestSupport
import Testing

@Suite(.ownThread) struct CancellationTests {
  @Test func `cancelling completes at once and calls each handler once`() {
    let promise = Promise<Int>()
    let log = Log<String>()
    promise.onCancel("first") { log.append($0) }
    promise.onCancel("second") { log.append($0) }
    promise.future.cancel()
    promise.future.cancel()
    promise.onCancel { log.append("late") }
    #expect(log.entries == ["first", "second", "late"])
    #expect(promise.future.failureDescription == "CancellationError()")
    #expect(!promise.succeed(1))
  }

  @Test func `an answered promise calls no cancel handler`() {
    let promise = Promise<Int>()
    let log = Log<String>()
    promise.onCancel { log.append("early") }
    promise.succeed(1)
    promise.future.cancel()
    promise.onCancel { log.append("late, after the answer") }
    #expect(log.entries == [])
    #expect(try! promise.future.wait() == 1)
  }

  @Test func `cancellation travels up through every operator`() {
    let operators: [@Sendable (Future<Int>) -> Future<Int>] = [
      { $0.map { $0 } }, { $0.flatMap { Future(value: $0) } }, { $0.recover { _ in 0 } }, { $0.ensure {} },
      { $0.flatMapError { _ in Future(value: 0) } }, { Future.all([$0]).map { $0[0] } },
      { Future.any([$0]) }, { Future.race([$0]) }, { Future.zip($0, Future(value: 1)).map { $0.0 } },
      { Future.inOrderOfCompletion([$0]).map { _ in 0 } },
      { future in Future(value: 1).flatMap { _ in future } }, { $0.timeout(after: .seconds(3600)) },
    ]
    for (index, derive) in operators.enumerated() {
      let promise = Promise<Int>()
      let derived = derive(promise.future)
      let calls = Counter()
      derived.whenComplete { _ in calls.add() }
      derived.cancel()
      #expect(calls.current == 1, "operator \(index)")
      #expect(promise.isCancelled, "operator \(index)")
      #expect(derived.failureDescription == "CancellationError()", "operator \(index)")
    }
  }

  @Test(arguments: [true, false])
  func `ensure also runs after a cancellation, when the source ends`(isLastToWait: Bool) {
    let promise = Promise<Int>()
    let log = Log<String>()
    if !isLastToWait { promise.future.whenComplete { _ in log.append("answered") } }
    let ensured = promise.future.ensure { log.append("ensured") }
    ensured.cancel()
    #expect(promise.isCancelled == isLastToWait)
    #expect(log.entries == (isLastToWait ? ["ensured"] : []))
    promise.succeed(1)
    #expect(log.entries == (isLastToWait ? ["ensured"] : ["answered", "ensured"]))
    #expect(ensured.isCancelled)
  }

  /// Otherwise an object that keeps a future and is captured by its closure would leak.
  @Test(arguments: [true, false])
  func `closures are released when their future is complete, even if it is kept`(isCancelled: Bool) {
    let operators: [@Sendable (Future<Int>, Witness) -> Future<Int>] = [
      { future, held in future.map { value in withExtendedLifetime(held) { value } } },
      { future, held in future.recover { _ in withExtendedLifetime(held) { 0 } } },
      { future, held in future.flatMap { value in withExtendedLifetime(held) { Future(value: value) } } },
      { future, held in future.flatMapError { _ in withExtendedLifetime(held) { Future(value: 0) } } },
      { future, held in
        Future.all([future], limit: 1) { part in withExtendedLifetime(held) { part } }.map { $0[0] }
      },
      { future, held in future.ensure { withExtendedLifetime(held) {} } },
    ]
    for (index, derive) in operators.enumerated() {
      let alive = Counter()
      let promise = Promise<Int>()
      // The source goes on.
      promise.future.whenComplete { _ in }
      let derived = { derive(promise.future, Witness(alive)) }()
      #expect(alive.current == 1, "operator \(index)")
      if isCancelled { derived.cancel() }
      // `ensure` waits for the source.
      if !isCancelled || index == 5 { promise.succeed(1) }
      #expect(derived.isComplete)
      #expect(alive.current == 0, "operator \(index)")
    }
  }

  @Test func `a future goes on until its last waiter is cancelled`() {
    let promise = Promise<Int>()
    let derived = (0..<50).map { _ in promise.future.map { $0 } }
    let group = Future.all([promise.future])
    for future in derived {
      #expect(!promise.isCancelled)
      future.cancel()
    }
    #expect(!promise.isCancelled)
    group.cancel()
    #expect(promise.isCancelled)
  }

  @Test func `a callback keeps the future from being cancelled through other waiters`() {
    let promise = Promise<Int>()
    let log = Log<Int>()
    promise.future.whenComplete { log.append(try! $0.get()) }
    promise.future.map { $0 }.cancel()
    promise.succeed(4)
    #expect(log.entries == [4])
  }

  @Test func `cancelled observers of a future that lives on are forgotten`() {
    let alive = Counter()
    let promise = Promise<Int>()
    let kept = promise.future.map { $0 }
    for _ in 0..<1000 {
      let witness = Witness(alive)
      promise.future.map { value in
        _ = witness
        return value
      }.cancel()
    }
    #expect(alive.current <= 2)
    promise.succeed(1)
    #expect(try! kept.wait() == 1)
  }

  @Test func `an object held by a cancelled observer may use the future in its deinitialiser`() {
    let promise = Promise<Int>()
    let derived = promise.future.map { $0 }
    let log = Log<String>()
    // After the first walk three wait, so the last withdrawal walks next: it finds and releases the second observer, which only
    // the list still holds.
    let lastWord = Guarded<Farewell?>(Farewell { derived.whenComplete { log.append("\($0)") } })
    var observers: [Future<Int>?] = (0..<4).map { index in
      let held = index == 1 ? lastWord.withLock { $0.take() } : nil
      return derived.map { value in
        withExtendedLifetime(held) {}
        return value
      }
    }
    for index in observers.indices {
      observers[index]?.cancel()
      observers[index] = nil
    }
    #expect(promise.isCancelled)
    #expect(log.entries == ["failure(Swift.CancellationError())"])
  }

  @Test func `cancelling all observers from two threads cancels the promise`() {
    for _ in 0..<200 {
      let promise = Promise<Int>()
      let handled = Counter()
      promise.onCancel { handled.add() }
      let futures = (0..<10).map { _ in promise.future.map { $0 } }
      onThreads(2) { thread in for future in futures[thread * 5..<thread * 5 + 5] { future.cancel() } }
      #expect(handled.current == 1)
    }
  }

  @Test func `a flatMap cancelled while its inner future begins cancels that`() {
    for _ in 0..<300 {
      let outer = Promise<Int>()
      let inner = Promise<Int>()
      let hasBegun = Counter()
      let future = outer.future.flatMap { _ in
        hasBegun.add()
        return inner.future
      }
      onThreads(2) { if $0 == 0 { outer.succeed(1) } else { future.cancel() } }
      #expect(future.isCancelled)
      #expect(inner.isCancelled == (hasBegun.current == 1))
    }
  }
}
