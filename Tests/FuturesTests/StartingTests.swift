import Dispatch
import Futures
import TestSupport
import RuntimeSupport
import Testing

/// Futures that are being started while the whole ends, or that never start.
@Suite(.ownThread) struct StartingTests {
  @Test(arguments: ["cancel", "failure", "timeout"])
  func `an end is delivered when the starting future has started, and is cancelled`(_ end: String) {
    let log = Log<String>()
    let begun = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let (first, second) = (Promise<Int>(), Promise<Int>())
    let source = ManualTimerSource()
    let whole = TimerSource.$current.withValue(source) {
      Future.all([
        first.future.flatMap { _ -> Future<Int> in
          begun.signal()
          goOn.wait()
          log.append("started")
          let promise = Promise<Int>()
          promise.onCancel {
            log.append("cancelled")
            withExtendedLifetime(promise) {}
          }
          return promise.future
        }, second.future,
      ])
      .timeout(after: .seconds(1))
    }
    whole.whenComplete { _ in log.append("ended") }
    DispatchQueue.global().async { first.succeed(1) }
    begun.wait()
    switch end {
    case "cancel": whole.cancel()
    case "failure": second.fail(Failure(code: 1))
    default: source.advance(by: .seconds(1))
    }
    #expect(log.entries.isEmpty)
    goOn.signal()
    #expect(log.wait(for: 3) == ["started", "cancelled", "ended"])
  }

  @Test func `a chain that is cancelled before its next work releases it, even if the future is kept`() {
    let alive = Counter()
    let promise = Promise<Int>()
    let chain = promise.future.flatMap { [witness = Witness(alive)] value in
      withExtendedLifetime(witness) { Future(value: value) }
    }
    #expect(alive.current == 1)
    chain.cancel()
    #expect(alive.current == 0 && chain.isCancelled)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a limit that has passed starts nothing and has its own error`(limit: Duration) {
    let future = Future<Int>.timeout(after: limit, error: Failure(code: 4)) {
      Issue.record("it is started")
      return Future(value: 1)
    }
    #expect(future.failureDescription == "\(Failure(code: 4))")
  }

  @Test func `work in time has its outcome, and no timer is left`() {
    let source = ManualTimerSource()
    TimerSource.$current.withValue(source) {
      let promise = Promise<Int>()
      let future = Future.timeout(after: .seconds(3600)) { promise.future }
      #expect(source.pendingCount == 1)
      promise.succeed(5)
      #expect((try? future.wait()) == 5)
      #expect((try? Future.timeout(after: nil) { Future(value: 6) }.wait()) == 6)
    }
    #expect(source.pendingCount == 0)
  }

  @Test func `retries wait as long as the delay says, and not at all for none`() {
    let source = ManualTimerSource()
    let starts = Log<Duration>()
    TimerSource.$current.withValue(source) {
      let future = Future<Int>.retry(attempts: 4, delay: { .seconds($0 == 2 ? 0 : $0) }) {
        starts.append(source.now)
        return Future(error: Failure(code: 1))
      }
      while source.advanceToNext() {}
      #expect(future.isComplete)
    }
    #expect(starts.entries == [.zero, .seconds(1), .seconds(1), .seconds(4)])
  }

  @Test func `a retry that is cancelled while it waits leaves no timer`() {
    let source = ManualTimerSource()
    TimerSource.$current.withValue(source) {
      let future = Future<Int>.retry(attempts: 4, delay: { _ in .seconds(3600) }) {
        Future(error: Failure(code: 1))
      }
      #expect(source.pendingCount == 1)
      future.cancel()
    }
    #expect(source.pendingCount == 0)
  }

  @Test func `the highest limit acts as none`() throws {
    let started = Future.all(0..<3, limit: .max) { Future(value: $0) }
    #expect(try started.wait() == [0, 1, 2])
    let promises = (0..<3).map { _ in Promise<Int>() }
    let pending = Future.all(0..<3, limit: .max) { promises[$0].future }
    for (index, promise) in promises.enumerated() { promise.succeed(index) }
    #expect(try pending.wait() == [0, 1, 2])
  }
}
