import Benchmarking
import Futures

@main struct YourBenchmarks: BenchmarkSuite {
  var benchmarks: [Benchmark] {
    Benchmark("sum", expecting: 499_500) { (0..<numbers.count).reduce(0) { $0 + numbers[$1] } }

    Benchmark.sizes([10, 100, 1_000, 10_000]) { count in
      Benchmark("sort", eachTime: { (0..<count).shuffled() }) { $0.sort() }
    }

    Benchmark("squares", expecting: 332_833_500) {
      var sum = 0
      for number in numbers { sum += number * number }
      return sum
    }
    Benchmark("squares", by: "lazy", expecting: 332_833_500) {
      numbers.lazy.map { $0 * $0 }.reduce(0, +)
    }

    // A library of this repository.
    Benchmark("future", expecting: 42) {
      let promise = Promise<Int>()
      let half = promise.future.map { $0 / 2 }
      promise.succeed(84)
      return try half.wait()
    }

    Benchmark("fetch", expecting: { $0 == 499_500 }, setUp: { Store(numbers) }) { store in
      await store.sum
    }
  }
}

private let numbers = Array(0..<1_000)

actor Store {
  private let values: [Int]

  init(_ values: [Int]) { self.values = values }

  var sum: Int { values.reduce(0, +) }
}
