import Foundation
import Futures
import TestSupport
import Testing

@Suite(.ownThread) struct CombinationTests {
  @Test(arguments: [0, 1, 2, 5, 1000])
  func `all keeps the order whatever the order of completion`(count: Int) {
    let promises = (0..<count).map { _ in Promise<Int>() }
    let all = Future.all(promises.map(\.future))
    for index in promises.indices.shuffled() { promises[index].succeed(index) }
    #expect(try! all.wait() == Array(0..<count))
  }

  @Test func `all fails with the first failure and cancels the others`() {
    let promises = (0..<4).map { _ in Promise<Int>() }
    let all = Future.all(promises.map(\.future))
    promises[0].succeed(0)
    promises[2].fail(Failure(code: 2))
    #expect(throws: Failure(code: 2)) { try all.wait() }
    #expect(promises.map(\.isCancelled) == [false, true, false, true])
  }

  @Test(arguments: [1, 2, 7, 100, 1000])
  func `a limit is never exceeded and everything is started`(limit: Int) {
    let running = Counter()
    let peak = Guarded(0)
    let all = Future.all(0..<200, limit: limit) { index in
      let now = running.add()
      peak.withLock { $0 = max($0, now) }
      return DispatchQueue.global().future {
        running.add(-1)
        return index
      }
    }
    #expect(try! all.wait() == Array(0..<200))
    #expect(peak.withLock { $0 } <= limit)
  }

  @Test(arguments: [nil, 1, 3]) func `items that complete at once run in constant stack`(limit: Int?) {
    let count = Effort.count(20_000, thorough: 200_000)
    let all = Future.all(0..<count, limit: limit) { Future(value: $0) }
    #expect(try! all.wait().count == count)
  }

  @Test(arguments: [nil, 1, 3]) func `nothing is started after a failure`(limit: Int?) {
    let started = Log<Int>()
    let all = Future.all(0..<10, limit: limit) { index in
      started.append(index)
      return index == 2 ? Future<Int>(error: Failure()) : Future(value: index)
    }
    #expect(throws: Failure()) { try all.wait() }
    #expect(started.entries == [0, 1, 2])
  }

  @Test func `a failure also cancels the futures after it`() {
    let promises = (0..<2).map { _ in Promise<Int>() }
    let all = Future.all([promises[0].future, Future(error: Failure(code: 7)), promises[1].future])
    #expect(throws: Failure(code: 7)) { try all.wait() }
    #expect(promises.map(\.isCancelled) == [true, true])
  }

  @Test(arguments: [false, true])
  func `a cancellation is delivered when the starting future is cancelled, too`(isDerived: Bool) {
    let promises = (0..<2).map { _ in Promise<Int>() }
    let isStarting = DispatchSemaphore(value: 0)
    let mayStart = DispatchSemaphore(value: 0)
    let ends = Log<[Bool]>()
    let all = Future.all(0..<2, limit: 1) { index in
      if index == 1 {
        isStarting.signal()
        mayStart.wait()
      }
      return promises[index].future
    }
    let outcome = isDerived ? all.map { $0 } : all
    outcome.whenComplete { _ in ends.append(promises.map(\.isCancelled)) }
    DispatchQueue.global().async { promises[0].succeed(0) }
    isStarting.wait()
    outcome.cancel()
    #expect(ends.count == 0)
    #expect(outcome.isCancelled)
    mayStart.signal()
    #expect(ends.wait(for: 1) == [[false, true]])
  }

  @Test func `an ended combination leaves nothing with pending sources`() {
    let promise = Promise<Int>()
    let kept = promise.future.map { $0 }
    let ended: [WeakReference] = (0..<10).map { round in
      let first = Promise<Int>()
      let all = Future.all([first.future, promise.future, promise.future, first.future])
      if round % 2 == 0 { all.cancel() } else { first.fail(Failure()) }
      return WeakReference(all)
    }
    // The pending future's list may hold the last one's places until its next walk.
    promise.future.map { $0 }.cancel()
    promise.succeed(1)
    #expect(try! kept.wait() == 1)
    #expect(ended.allSatisfy { $0.object == nil })
  }

  @Test func `a combination withdraws from a future with other waiters`() {
    let promise = Promise<Int>()
    let all = Future.all([promise.future])
    let log = Log<Int>()
    let others = (0..<3).map { index in promise.future.map { $0 + index } }
    for other in others { other.whenComplete { log.append(try! $0.get()) } }
    all.cancel()
    #expect(!promise.isCancelled)
    promise.succeed(1)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `an item that throws fails the whole`() {
    let promise = Promise<Int>()
    let all = Future.all(0..<3) { index in
      if index == 1 { throw Failure(code: 5) }
      return promise.future
    }
    #expect(throws: Failure(code: 5)) { try all.wait() }
    #expect(promise.isCancelled)
  }

  @Test func `cancelling a limited all cancels what is in flight and starts nothing more`() {
    let promises = (0..<6).map { _ in Promise<Int>() }
    let started = Log<Int>()
    let all = Future.all(0..<6, limit: 2) { index in
      started.append(index)
      return promises[index].future
    }
    promises[0].succeed(0)
    all.cancel()
    #expect(promises.map(\.isCancelled) == [false, true, true, false, false, false])
    #expect(started.entries == [0, 1, 2])
  }

  @Test func `any has the first value, or all errors in order`() {
    let promises = (0..<3).map { _ in Promise<Int>() }
    let any = Future.any(promises.map(\.future))
    promises[1].fail(Failure())
    promises[2].succeed(2)
    #expect(try! any.wait() == 2)
    #expect(promises[0].isCancelled)
    let none = Future<Int>.any([Future(error: Failure(code: 1)), Future(error: Failure(code: 2))])
    #expect {
      try none.wait()
    } throws: { error in
      guard case FutureError.allFailed(let errors) = error else { return false }
      return Array(errors) as? [Failure] == [Failure(code: 1), Failure(code: 2)]
    }
    #expect(throws: FutureError.noFutures) { try Future<Int>.any([]).wait() }
  }

  @Test func `race has the first outcome and cancels the rest`() {
    let promises = (0..<3).map { _ in Promise<Int>() }
    let race = Future.race(promises.map(\.future))
    promises[1].fail(Failure(code: 3))
    #expect(throws: Failure(code: 3)) { try race.wait() }
    #expect(promises.map(\.isCancelled) == [true, false, true])
    #expect(throws: FutureError.noFutures) { try Future<Int>.race([]).wait() }
  }

  @Test func `zip keeps types and order`() {
    let (number, text, flag) = (Promise<Int>(), Promise<String>(), Promise<Bool>())
    let zipped = Future.zip(number.future, text.future, flag.future)
    flag.succeed(true)
    number.succeed(1)
    #expect(!zipped.isComplete)
    text.succeed("two")
    #expect(try! zipped.wait() == (1, "two", true))
    let failed = Future.zip(Future(value: 1), Future<String>(error: Failure()), Promise<Int>().future)
    #expect(throws: (any Error).self) { try failed.wait() }
  }

  @Test func `outcomes are in the order of completion, failures among them`() {
    let promises = (0..<3).map { _ in Promise<Int>() }
    let future = Future.inOrderOfCompletion(promises.map(\.future) + [Future(value: 9)])
    promises[2].succeed(2)
    promises[0].fail(Failure())
    promises[1].succeed(1)
    #expect(try! future.wait().map { try? $0.get() } == [9, 2, nil, 1])
    #expect(try! Future.inOrderOfCompletion([Future<Int>]()).wait().isEmpty)
  }
}
