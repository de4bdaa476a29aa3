import Futures
import TestSupport
import Testing

/// Short races of few operations, repeated with many timings; `SoakTests` has the random graphs.
@Suite(.ownThread) struct StressTests {
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a loop that is cancelled while its rounds pass ends and stops its producer`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let cancelAfter = Int.random(in: 1..<60, using: &random)
    let latest = Guarded<Promise<Int>?>(nil)
    let rounds = Counter()
    @Sendable func loop() -> Future<Int> {
      let promise = Promise<Int>()
      latest.withLock { $0 = promise }
      rounds.add()
      return promise.future.flatMap { _ in loop() }
    }
    let future = loop()
    let calls = Counter()
    future.whenComplete { _ in calls.add() }
    onThreads(2) { thread in
      if thread == 0 {
        while !future.isCancelled { latest.withLock { $0 }?.succeed(1) }
      } else {
        while rounds.current < cancelAfter { latest.withLock { $0 }?.succeed(1) }
        future.cancel()
      }
    }
    #expect(calls.current == 1)
    #expect(latest.withLock { $0 }!.future.isComplete)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `callbacks and handlers that race with the end are each called once`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<20 {
      let promise = Promise<Int>()
      let (called, handled) = (Counter(), Counter())
      let cancels = Bool.random(using: &random)
      let delay = Int.random(in: 0..<200, using: &random)
      onThreads(3) { thread in
        switch thread {
        case 0:
          for _ in 0..<delay { called.add(0) }
          if cancels { promise.future.cancel() } else { promise.succeed(1) }
        case 1: for _ in 0..<3 { promise.future.whenComplete { _ in called.add() } }
        default: for _ in 0..<3 { promise.onCancel { handled.add() } }
        }
      }
      #expect(called.current == 3)
      #expect(handled.current == (cancels ? 3 : 0))
    }
  }

  /// In an optimised build the canceller once retained a future that the deliverer had already freed.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a loser that is started and answered while it is cancelled is freed once`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<200 {
      let (winner, timer) = (Promise<Int>(), Promise<Int>())
      let delay = Int.random(in: 0..<40, using: &random)
      let calls = Counter()
      let first = Future.any([
        winner.future, timer.future.flatMap { value in Future.make { $0.succeed(value) } },
      ])
      first.whenComplete { _ in calls.add() }
      onThreads(2) { thread in
        if thread == 0 {
          for _ in 0..<delay { calls.add(0) }
          winner.succeed(1)
        } else {
          timer.succeed(2)
        }
      }
      #expect(calls.current == 1)
      #expect(first.result.map { (try? $0.get()).map { $0 == 1 || $0 == 2 } } == true)
    }
  }
}
