import Benchmarking

extension Claims {
  @BenchmarkBuilder var actors: [Benchmark] {
    Benchmark("actor-call", throughput: .items(10_000, "call"), expecting: 10_000) {
      await called(Counter(), 10_000)
    }

    Benchmark("actor-or-lock", by: "lock", throughput: .items(20_000, "call"), expecting: 20_000) {
      let shared = Shared()
      for _ in 0..<20_000 { shared.locked { $0 += 1 } }
      return shared.locked { $0 }
    }
    Benchmark("actor-or-lock", by: "actor", throughput: .items(20_000, "call"), expecting: 20_000) {
      await called(Counter(), 20_000)
    }

    Benchmark("from-the-main-actor", by: "plain", throughput: .items(1_000, "call"), expecting: 1_000) {
      let plain = Plain()
      for _ in 0..<1_000 { plain.increment() }
      return plain.value
    }
    Benchmark("from-the-main-actor", by: "actor", throughput: .items(1_000, "call"), expecting: 1_000) {
      await calledFromMain(Counter(), 1_000)
    }

    for (by, processors) in [("one-processor", 1), ("all-processors", nil)] {
      Benchmark(
        "ping-pong", by: by, throughput: .items(1_000, "hop"), processors: processors, expecting: 1_000
      ) {
        let (ping, pong) = (Counter(), Counter())
        for _ in 0..<500 {
          await ping.increment()
          await pong.increment()
        }
        return await ping.value + pong.value
      }
    }

    Benchmark(
      "callers", by: "1-caller", throughput: .items(1_280_000, "call"), expecting: { $0 >= 1_280_000 },
      setUp: { Counter() }
    ) {
      await called($0, 1_280_000)
    }
    Benchmark(
      "callers", by: "256-callers", throughput: .items(1_280_000, "call"), threads: 256,
      expecting: { $0 >= 5_000 },
      setUp: { Counter() }
    ) { await called($0, 5_000) }

    Benchmark("reentrancy", by: "in-flight", expecting: 1) { await loads { await $0.shared() } }
    Benchmark("reentrancy", by: "check-then-load", expecting: { 1...16 ~= $0 }) {
      await loads { await $0.naive() }
    }
  }
}

private func called(_ counter: Counter, _ times: Int) async -> Int {
  for _ in 0..<times { await counter.increment() }
  return await counter.value
}

@MainActor private func calledFromMain(_ counter: Counter, _ times: Int) async -> Int {
  let own = Plain()
  for _ in 0..<times {
    // Without work of the main actor's own between the calls, the compiler leaves out the way back.
    own.increment()
    await counter.increment()
  }
  return await counter.value
}

/// How often 16 callers of one cache load what all of them want.
private func loads(_ load: @escaping @Sendable (Cache) async -> UInt64) async -> Int {
  let cache = Cache()
  await withTaskGroup { group in
    for _ in 0..<16 { group.addTask { _ = await load(cache) } }
  }
  return await cache.loads
}

private actor Counter {
  private(set) var value = 0
  @inline(never) func increment() { value += 1 }
}

private final class Plain {
  private(set) var value = 0
  @inline(never) func increment() { value += 1 }
}

private actor Cache {
  private(set) var loads = 0
  private var value: UInt64?
  private var inFlight: Task<UInt64, Never>?

  func naive() async -> UInt64 {
    if let value { return value }
    loads += 1
    let loaded = await fetch()
    value = loaded
    return loaded
  }

  func shared() async -> UInt64 {
    if let inFlight { return await inFlight.value }
    loads += 1
    let task = Task { await fetch() }
    inFlight = task
    return await task.value
  }
}

/// 0.2 ms of computing, away from the actor, once others have had a turn.
@concurrent private func fetch() async -> UInt64 {
  for _ in 0..<16 { await Task.yield() }
  return compute(100_000)
}
