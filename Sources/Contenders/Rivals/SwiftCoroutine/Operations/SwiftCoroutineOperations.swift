#if SwiftCoroutine
  import Dispatch
  import RuntimeOperations
  import SwiftCoroutine

  /// SwiftCoroutine's coroutines, futures and channels. `all-10000` is missing, because SwiftCoroutine cannot combine futures.
  public let swiftCoroutineOperations = RuntimeContender(
    name: "swift-coroutine", summary: "SwiftCoroutine: stackful coroutines that share copied stacks",
    implementations: [
      // SwiftCoroutine has no `yield`, so a coroutine suspends by waiting for a callback.
      .coroutineSwitch: { count in
        var sum = 0
        var goOn: (() -> Void)?
        Coroutine.start {
          for _ in 0..<count / 2 {
            sum += 1
            try Coroutine.await { goOn = $0 }
          }
        }
        while let next = goOn.take() { next() }
        return sum
      },
      .coroutineStart: { count in
        var sum = 0
        for index in 0..<count { Coroutine.start { sum += index } }
        return sum
      },
      .coroutineStartSuspend: { count in
        var sum = 0
        var call: ((Int) -> Void)?
        for index in 0..<count {
          Coroutine.start {
            let value: Int = try Coroutine.await { call = $0 }
            sum += value
          }
          call.take()?(index)
        }
        return sum
      },
      .awaitReady: { count in
        var sum = 0
        let future = CoFuture<Int>(result: .success(1))
        Coroutine.start {
          for index in 0..<count { sum += try future.await() * index }
        }
        return sum
      },
      .awaitResumed: { count in
        var sum = 0
        Coroutine.start {
          for index in 0..<count { sum += try Coroutine.await { $0(index) } }
        }
        return sum
      },
      .awaitPending: { count in
        var sum = 0
        var pending: CoPromise<Int>?
        Coroutine.start {
          for _ in 0..<count {
            let promise = CoPromise<Int>()
            pending = promise
            let value = try promise.await()
            sum += value
          }
        }
        for index in 0..<count { pending.take()?.success(index) }
        return sum
      },
      .channelOneThread: { count in
        var sum = 0
        let channel = CoChannel<Int>(capacity: 100)
        Coroutine.start {
          for element in 0..<count { try channel.awaitSend(element) }
          channel.close()
        }
        Coroutine.start {
          for element in channel.makeIterator() { sum += element }
        }
        return sum
      },
      .channelTwoThreads: { count in
        var sum = 0
        let channel = CoChannel<Int>(capacity: 100)
        DispatchQueue(label: "sender").startCoroutine {
          for element in 0..<count { try channel.awaitSend(element) }
          channel.close()
        }
        let received = DispatchSemaphore(value: 0)
        DispatchQueue(label: "receiver").startCoroutine {
          for element in channel.makeIterator() { sum += element }
          received.signal()
        }
        received.wait()
        return sum
      },
      .promiseCallback: { count in
        var sum = 0
        for value in 0..<count {
          let promise = CoPromise<Int>()
          promise.whenSuccess { sum += $0 }
          promise.success(value)
        }
        return sum
      },
      .mapChain: { count in
        var sum = 0
        let promise = CoPromise<Int>()
        var chain: CoFuture<Int> = promise
        for _ in 0..<count { chain = chain.map { $0 + 1 } }
        chain.whenSuccess { sum = $0 }
        promise.success(0)
        return sum
      },
    ])
#endif
