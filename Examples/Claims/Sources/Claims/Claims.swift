import Benchmarking

/// The claims of `claims.csv` without a `command`. `bench` answers the others.
@main struct Claims: BenchmarkSuite {
  var benchmarks: [Benchmark] {
    locks
    actors
    calls
    tasks
  }
}

/// Some 20 µs of computing for 10 000 steps.
@inline(never) func compute(_ steps: Int) -> UInt64 {
  var state: UInt64 = 1
  for _ in 0..<steps {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
  }
  return state
}
