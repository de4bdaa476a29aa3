import Benchmarking
import Dispatch
import Foundation

private struct Refusal: Error {}

@MainActor private var drawn = 0

@main struct OddBenchmarks: BenchmarkSuite {
  var benchmarks: [Benchmark] {
    Benchmark("reads", expecting: { $0 == nil }) { readLine() }
    Benchmark("prints") { print("{}") }
    Benchmark("main-actor") {
      await MainActor.run {
        drawn += 1
        return drawn
      }
    }
    Benchmark("main-queue", expecting: true) { DispatchQueue.main.sync { Thread.isMainThread } }
    Benchmark("of-the-main-actor", expecting: { $0 && Thread.isMainThread }, isolation: MainActor.shared) {
      Thread.isMainThread
    }
    Benchmark("throws") { throw Refusal() }
    Benchmark("exits") { exit(0) }
    Benchmark("goes-away", expecting: true) { FileManager.default.changeCurrentDirectoryPath("/") }
  }
}
