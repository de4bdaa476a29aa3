#if AsyncAlgorithms
  import AsyncAlgorithms
  import RuntimeOperations

  /// The operations on streams that asynchronous sequences have.
  enum Streams {
    static func zip3(_ count: Int) -> Int {
      performAsync {
        let numbers = (0..<count).async
        var sum = 0
        for await (first, second, third) in zip(numbers, numbers, numbers) { sum += first + second + third }
        return sum
      }
    }
  }
#endif
