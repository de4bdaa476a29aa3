import Benchmarking

/// What `claims.csv` names by `own`; the other claims are answered by `bench`.
@main struct Claims: BenchmarkSuite {
  var benchmarks: [Benchmark] {
    locks
    actors
    calls
    tasks
  }
}

/// Some 10 µs of computing for each 10 000 steps.
@inline(never) func compute(_ steps: Int) -> UInt64 {
  var state: UInt64 = 1
  for _ in 0..<steps { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
  return state
}
