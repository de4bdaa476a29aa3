import Coroutines
import Dispatch
import RuntimeOperations

public let coroutineOperations = RuntimeContender(
  name: "coroutines", summary: "Coroutines, the runtime of this package",
  implementations: [
    .coroutineSwitch: summing { count, tally in
      Coroutine.start {
        for _ in 0..<count / 2 {
          tally.add(1)
          Coroutine.yield()
        }
      }
    },
    .coroutineStart: summing { count, tally in
      for index in 0..<count { Coroutine.start { tally.add(index) } }
    },
    .coroutineStartSuspend: summing { count, tally in
      let caller = Caller()
      for index in 0..<count {
        Coroutine.start { tally.add(try Coroutine.withContinuation { caller.continuation = $0 }) }
        caller.call(with: index)
      }
    },
    .awaitReady: summing { count, tally in
      let future = CoFuture<Int>(result: .success(1))
      Coroutine.start { for index in 0..<count { tally.add(try future.await() * index) } }
    },
    .awaitResumed: summing { count, tally in
      Coroutine.start {
        for index in 0..<count { tally.add(try Coroutine.withContinuation { $0.resume(returning: index) }) }
      }
    },
    .awaitPending: summing { count, tally in
      let pending = PendingPromise()
      Coroutine.start {
        for _ in 0..<count {
          let promise = CoPromise<Int>()
          pending.promise = promise
          tally.add(try promise.await())
        }
      }
      for index in 0..<count { pending.fulfil(with: index) }
    },
    .suspended: suspend, .suspendedMillion: suspend,
    .channelOneThread: summing { count, tally in
      let channel = CoChannel<Int>(capacity: 100)
      Coroutine.start {
        for value in 0..<count { try channel.awaitSend(value) }
        channel.close()
      }
      Coroutine.start { for value in channel { tally.add(value) } }
    },
    .channelTwoThreads: summing { count, tally in
      let channel = CoChannel<Int>(capacity: 100)
      Coroutine.start(on: DispatchQueue(label: "sender")) {
        for value in 0..<count { try channel.awaitSend(value) }
        channel.close()
      }
      let received = DispatchSemaphore(value: 0)
      Coroutine.start(on: DispatchQueue(label: "receiver")) {
        for value in channel { tally.add(value) }
        received.signal()
      }
      received.wait()
    },
  ])

private let suspend = summing { count, tally in
  let callers = (0..<count).map { _ in Caller() }
  for caller in callers {
    Coroutine.start { tally.add(try Coroutine.withContinuation { caller.continuation = $0 }) }
  }
  for (index, caller) in callers.enumerated() { caller.call(with: index) }
}

private final class Caller: @unchecked Sendable {
  // Invariant: only one thread runs the whole operation.
  @exclusivity(unchecked) var continuation: CoContinuation<Int>?

  func call(with value: Int) { continuation.take()?.resume(returning: value) }
}

private final class PendingPromise: @unchecked Sendable {
  // Invariant: only one thread runs the whole operation.
  @exclusivity(unchecked) var promise: CoPromise<Int>?

  func fulfil(with value: Int) { promise.take()?.success(value) }
}
