#if PromiseKit
  import PromiseKit
  import RuntimeOperations

  /// PromiseKit's promises with `on: nil`, so that handlers run immediately on the thread that fulfils the promise.
  public let promiseKitOperations = RuntimeContender(
    name: "promise-kit", summary: "PromiseKit: promises with a dispatch queue each as their lock",
    implementations: [
      .promiseCallback: { count in
        var sum = 0
        for value in 0..<count {
          let (promise, resolver) = Promise<Int>.pending()
          promise.done(on: nil) { sum += $0 }.cauterize()
          resolver.fulfill(value)
        }
        return sum
      },
      .allOfMany: { count in
        var sum = 0
        let pairs = (0..<count).map { _ in Promise<Int>.pending() }
        when(fulfilled: pairs.map(\.promise)).done(on: nil) { sum = $0.reduce(0, +) }.cauterize()
        for (value, pair) in pairs.enumerated() { pair.resolver.fulfill(value) }
        return sum
      },
      .mapChain: { count in
        var sum = 0
        let (promise, resolver) = Promise<Int>.pending()
        var chain = promise
        for _ in 0..<count { chain = chain.map(on: nil) { $0 + 1 } }
        chain.done(on: nil) { sum = $0 }.cauterize()
        resolver.fulfill(0)
        return sum
      },
    ])
#endif
