import Benchmarking

extension Claims {
  @BenchmarkBuilder var tasks: [Benchmark] {
    Benchmark("async-let", by: "group", throughput: .items(3, "child"), expecting: 3) {
      await withTaskGroup { group in
        for _ in 0..<3 { group.addTask { await one() } }
        return await group.reduce(0, +)
      }
    }
    Benchmark("async-let", by: "async-let", throughput: .items(3, "child"), expecting: 3) {
      async let (first, second, third) = (one(), one(), one())
      return await first + second + third
    }

    Benchmark(
      "task-local-depth", by: "where-bound", throughput: .items(100_000, "look-up"), expecting: 700_000
    ) {
      await Trace.$id.withValue(7) { await read(below: 0) }
    }
    Benchmark(
      "task-local-depth", by: "16-children-below", throughput: .items(100_000, "look-up"), expecting: 700_000
    ) {
      await Trace.$id.withValue(7) { await read(below: 16) }
    }

    Benchmark("task-or-child", by: "child", throughput: .items(1_000, "task"), expecting: 7_000) {
      await bound(16) {
        await withTaskGroup { group in
          for _ in 0..<1_000 { group.addTask { Trace.id } }
          return await group.reduce(0, +)
        }
      }
    }
    Benchmark("task-or-child", by: "task", throughput: .items(1_000, "task"), expecting: 7_000) {
      await bound(16) {
        var sum = 0
        for task in (0..<1_000).map({ _ in Task { Trace.id } }) { sum += await task.value }
        return sum
      }
    }

    Benchmark("awaited-by-high", by: "created-high", expecting: { $0 != 0 }) { await behindOthers(.high) }
    Benchmark("awaited-by-high", by: "created-low", expecting: { $0 != 0 }) { await behindOthers(.low) }
  }
}

private enum Trace { @TaskLocal static var id = 0 }

@concurrent private func one() async -> Int { 1 }

/// The sum of 100 000 look-ups, in a child of so many children that bind nothing.
private func read(below depth: Int) async -> Int {
  if depth > 0 {
    async let sum = read(below: depth - 1)
    return await sum
  }
  var sum = 0
  for _ in 0..<100_000 { sum &+= Trace.id }
  return sum
}

private func bound(_ times: Int, _ body: @Sendable () async -> Int) async -> Int {
  if times == 0 { return await body() }
  return await Trace.$id.withValue(7) { await bound(times - 1, body) }
}

/// Until a task of high priority has what it awaits: a task behind 200 others of low priority.
private func behindOthers(_ priority: TaskPriority) async -> UInt64 {
  let others = (0..<200).map { _ in Task.detached(priority: .low) { compute(10_000) } }
  let last = Task.detached(priority: priority) { compute(10_000) }
  let result = await Task.detached(priority: .high) { await last.value }.value
  for other in others { other.cancel() }
  return result
}
