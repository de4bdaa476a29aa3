#if SwiftCoroutine
  import SwiftCoroutine

  /// The operations on futures.
  enum Futures {
    static func promiseCallback(_ count: Int) -> Int {
      var sum = 0
      for value in 0..<count {
        let promise = CoPromise<Int>()
        promise.whenSuccess { sum += $0 }
        promise.success(value)
      }
      return sum
    }

    static func mapChain(_ count: Int) -> Int {
      var sum = 0
      let promise = CoPromise<Int>()
      var chain: CoFuture<Int> = promise
      for _ in 0..<count { chain = chain.map { $0 + 1 } }
      chain.whenSuccess { sum = $0 }
      promise.success(0)
      return sum
    }
  }
#endif
