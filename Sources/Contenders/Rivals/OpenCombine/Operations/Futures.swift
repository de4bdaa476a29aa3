#if OpenCombine
  import OpenCombine

  /// The operations on futures, with Combine's `Future`.
  enum Futures {
    static func promiseCallback(_ count: Int) -> Int {
      var sum = 0
      for value in 0..<count {
        let (future, promise) = pending()
        let subscription = future.sink { sum += $0 }
        promise(.success(value))
        withExtendedLifetime(subscription) {}
      }
      return sum
    }

    /// Collected in the order in which they are fulfilled. A zip would keep their own, but OpenCombine's aborts the
    /// process when futures are fulfilled on other threads.
    static func all(_ count: Int) -> Int {
      var sum = 0
      let pairs = (0..<count).map { _ in pending() }
      let subscription = pairs.map(\.future).publisher.flatMap { $0 }.collect()
        .sink { sum = $0.reduce(0, +) }
      for (value, pair) in pairs.enumerated() { pair.promise(.success(value)) }
      return withExtendedLifetime(subscription) { sum }
    }

    private static func pending() -> (future: Future<Int, Never>, promise: Future<Int, Never>.Promise) {
      var promise: Future<Int, Never>.Promise?
      let future = Future<Int, Never> { promise = $0 }
      return (future, promise!)
    }
  }
#endif
