import Dispatch
import Futures
import TestSupport
import Testing

/// Cleanup with a future of its own; see `CancellationTests` for a body that returns at once.
@Suite(.ownThread) struct EnsureTests {
  private let log = Log<String>()
  private let promise = Promise<Int>()
  private let cleanup = Promise<Void>()

  private var ensured: Future<Int> {
    promise.future.ensure { [log, cleanup] in
      log.append("closing")
      return cleanup.future
    }
  }

  @Test(arguments: ["value", "failure", "cancellation", "cancellation while it is cleaned up"])
  func `waiters learn of the end after the cleanup, which a cancellation does not reach`(end: String) {
    let future = ensured
    future.map { $0 + 1 }.whenComplete { [log] in log.append("\($0)") }
    #expect(log.entries == [])
    switch end {
    case "value", "cancellation while it is cleaned up": promise.succeed(1)
    case "failure": promise.fail(Failure(code: 1))
    default: future.cancel()
    }
    #expect(promise.isCancelled == (end == "cancellation"))
    #expect(log.entries == ["closing"])
    if end == "cancellation while it is cleaned up" { future.cancel() }
    #expect(log.entries == ["closing"] && !cleanup.isCancelled)
    cleanup.succeed(())
    let outcomes = ["value": "success(2)", "failure": "failure(TestSupport.Failure(code: 1))"]
    #expect(log.entries == ["closing", outcomes[end, default: "failure(Swift.CancellationError())"]])
  }

  @Test func `a failing cleanup replaces a value, not a failure`() {
    let futures = [Future(value: 1), Future(error: Failure(code: 2))].map { future in
      future.ensure { () -> Future<Void> in throw Failure(code: 9) }
    }
    #expect(futures.map(\.failureDescription) == ["Failure(code: 9)", "Failure(code: 2)"])
  }

  @Test func `a source with other waiters goes on, and the cancellation is delivered at once`() {
    promise.future.whenComplete { [log] _ in log.append("answered") }
    let future = ensured
    future.whenComplete { [log] _ in log.append("ended") }
    future.cancel()
    #expect(log.entries == ["ended"] && !promise.isCancelled)
    promise.succeed(1)
    #expect(log.entries == ["ended", "answered", "closing"])
    cleanup.succeed(())
    #expect(future.isCancelled)
  }

  @Test func `a failing combination waits for the cleanup of its cancelled sources`() {
    let other = Promise<Int>()
    let all = Future.all([ensured, other.future])
    all.whenComplete { [log] _ in log.append("ended") }
    other.fail(Failure(code: 3))
    #expect(promise.isCancelled && log.entries == ["closing"])
    cleanup.succeed(())
    #expect(log.entries == ["closing", "ended"] && all.failureDescription == "Failure(code: 3)")
  }

  @Test(arguments: ["value", "failure", "cancellation"])
  func `cleanups within cleanups run in bounded stack, and nothing is left`(end: String) {
    let (alive, closed, depth) = (Counter(), Counter(), Effort.count(10_000, thorough: 100_000))
    onSmallStack {
      let promise = Promise<Int>()
      var future = promise.future
      let witness = Witness(alive)
      for _ in 0..<depth {
        future = future.ensure { () -> Future<Void> in
          withExtendedLifetime(witness) { _ = closed.add() }
          return Future(value: ())
        }
      }
      switch end {
      case "value": promise.succeed(1)
      case "failure": promise.fail(Failure())
      default: future.cancel()
      }
      #expect(future.isComplete)
    }
    #expect(closed.current == depth && alive.current == 0)
  }

  @Test func `a cancellation raced against the end cleans up once, then calls back once`() {
    let (wrong, rounds) = (Counter(), Effort.count(20_000, thorough: 100_000))
    for round in 0..<rounds {
      let (closed, ended, promise) = (Counter(), DispatchSemaphore(value: 0), Promise<Int>())
      let future = promise.future.ensure { () -> Future<Void> in
        closed.add()
        return round % 2 == 0 ? DispatchQueue.global().future {} : Future(value: ())
      }
      future.whenComplete { _ in
        if closed.current != 1 { wrong.add() }
        ended.signal()
      }
      DispatchQueue.global().async { promise.succeed(1) }
      future.cancel()
      ended.wait()
    }
    #expect(wrong.current == 0)
  }

  @Test func `after a cancellation flatMapError is not called, ensure is`() {
    let recovered = promise.future.flatMapError { [log] _ in
      log.append("recovered")
      return Future(value: 0)
    }
    recovered.ensure { [log] in log.append("closed") }.cancel()
    #expect(log.entries == ["closed"])
  }
}
