import Foundation
import Futures
import TestSupport
import Testing

@Suite(.ownThread) struct PromiseTests {
  @Test func `the first answer counts and later ones return false`() {
    let promise = Promise<Int>()
    #expect(promise.succeed(1))
    #expect(!promise.succeed(2))
    #expect(!promise.fail(Failure()))
    #expect(try! promise.future.wait() == 1)
  }

  @Test func `a dropped promise fails its waiters`() {
    let log = Log<String>()
    var promise: Promise<Int>? = Promise()
    let mapped = promise!.future.map { $0 + 1 }
    promise!.future.whenComplete { log.append("\($0)") }
    promise = nil
    #expect(log.entries == ["failure(Futures.FutureError.promiseAbandoned)"])
    #expect(mapped.failureDescription == "promiseAbandoned")
  }

  @Test func `observers of every kind are called in order of registration`() {
    for first in 0..<4 {
      let promise = Promise<Int>()
      let log = Log<Int>()
      var kept: [AnyFuture] = []
      for index in 0..<12 {
        switch (first + index) % 4 {
        case 0: promise.future.whenComplete { _ in log.append(index) }
        case 1: kept.append(promise.future.map { _ in log.append(index) })
        case 2: kept.append(promise.future.ensure { log.append(index) })
        default:
          promise.onCancel { log.append(-1) }
          kept.append(promise.future.flatMap { _ in Future(value: log.append(index)) })
        }
      }
      promise.succeed(0)
      #expect(log.entries == Array(0..<12))
    }
  }

  @Test func `a callback is called on the given queue`() {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "chosen")
    queue.setSpecific(key: key, value: 5)
    for _ in 0..<200 {
      let next = Future(value: 1).flatMap(on: queue) { _ in Future(value: DispatchQueue.getSpecific(key: key))
      }
      #expect(try! next.wait() == 5)
    }
  }

  @Test func `values of every size live exactly as long as their future`() {
    let alive = Counter()
    do {
      let small = Future(value: Witness(alive))
      let large = Future(value: [1, 2, 3, 4].map { _ in Witness(alive) })
      let wide = Future(
        value: (Witness(alive), "a text that is too long to be kept inline", 1, 2, 3, Witness(alive)))
      #expect(alive.current == 7)
      #expect(try! wide.wait().1.hasPrefix("a text"))
      #expect(try! large.wait().count == 4)
      withExtendedLifetime(small) {}
    }
    #expect(alive.current == 0)
  }

  @Test func `closures are released with the answer`() {
    let alive = Counter()
    let promise = Promise<Int>()
    do {
      let witness = Witness(alive)
      promise.onCancel { _ = witness }
      promise.onCancel { _ = witness }
      promise.future.whenComplete { _ in _ = witness }
      let kept = promise.future.map { value in
        _ = witness
        return value
      }
      withExtendedLifetime(kept) {}
    }
    #expect(alive.current == 1)
    promise.succeed(1)
    #expect(alive.current == 0)
  }

  @Test func `work on a queue sees the cancellation, and stops`() {
    let queue = DispatchQueue(label: "work")
    let (begun, mayLook) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let seen = Log<Bool>()
    let future = queue.future { signal in
      seen.append(signal.isCancelled)
      begun.signal()
      mayLook.wait()
      seen.append(signal.isCancelled)
      if signal.isCancelled { throw CancellationError() }
      seen.append(true)
      return 1
    }
    begun.wait()
    future.cancel()
    mayLook.signal()
    queue.sync {}
    #expect(seen.entries == [false, true] && future.isCancelled)
    #expect(try! queue.future { signal in signal.isCancelled ? 0 : 7 }.wait() == 7)
  }
}
