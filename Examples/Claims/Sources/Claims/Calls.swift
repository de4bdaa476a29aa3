import Benchmarking

extension Claims {
  @BenchmarkBuilder var calls: [Benchmark] {
    Benchmark("async-call", by: "sync", throughput: .items(10_000, "call"), expecting: 49_995_000) {
      var sum = 0
      for number in 0..<10_000 { sum = added(sum, number) }
      return sum
    }
    Benchmark("async-call", by: "async", throughput: .items(10_000, "call"), expecting: 49_995_000) {
      await Adder.inherited()
    }

    Benchmark("nonisolated-call", by: "inherits", throughput: .items(10_000, "call"), expecting: 49_995_000) {
      await Adder().inheriting()
    }
    Benchmark("nonisolated-call", by: "switches", throughput: .items(10_000, "call"), expecting: 49_995_000) {
      await Adder().switching()
    }
  }
}

@inline(never) private func added(_ sum: Int, _ number: Int) -> Int { sum &+ number }
@inline(never) nonisolated(nonsending) private func addedHere(_ sum: Int, _ number: Int) async -> Int {
  sum &+ number
}
@inline(never) @concurrent private func addedElsewhere(_ sum: Int, _ number: Int) async -> Int {
  sum &+ number
}

private actor Adder {
  nonisolated(nonsending) static func inherited() async -> Int {
    var sum = 0
    for number in 0..<10_000 { sum = await addedHere(sum, number) }
    return sum
  }

  func inheriting() async -> Int {
    var sum = 0
    for number in 0..<10_000 { sum = await addedHere(sum, number) }
    return sum
  }

  func switching() async -> Int {
    var sum = 0
    for number in 0..<10_000 { sum = await addedElsewhere(sum, number) }
    return sum
  }
}
