#if SwiftCoroutine
  import SwiftCoroutine

  /// The operations on coroutines.
  enum Coroutines {
    /// There is no yield: a coroutine that is to go on later waits for a callback.
    static func coroutineSwitch(_ count: Int) -> Int {
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
    }

    static func start(_ count: Int) -> Int {
      var sum = 0
      for index in 0..<count { Coroutine.start { sum += index } }
      return sum
    }

    static func startSuspend(_ count: Int) -> Int {
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
    }

    static func awaitReady(_ count: Int) -> Int {
      var sum = 0
      let future = CoFuture<Int>(result: .success(1))
      Coroutine.start {
        for index in 0..<count { sum += try future.await() * index }
      }
      return sum
    }

    static func awaitPending(_ count: Int) -> Int {
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
    }
  }
#endif
