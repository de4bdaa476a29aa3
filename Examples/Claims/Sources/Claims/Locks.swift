import Benchmarking
import Dispatch
import Foundation
import Synchronization

extension Claims {
  @BenchmarkBuilder var locks: [Benchmark] {
    Benchmark(
      "queue-or-lock", by: "lock", throughput: .items(1_000), expecting: { $0 > 0 }, setUp: { Shared() }
    ) { shared in
      for _ in 0..<1_000 { shared.locked { $0 += 1 } }
      return shared.locked { $0 }
    }
    Benchmark(
      "queue-or-lock", by: "queue", throughput: .items(1_000), expecting: { $0 > 0 }, setUp: { Shared() }
    ) { shared in
      for _ in 0..<1_000 { shared.queued { $0 += 1 } }
      return shared.queued { $0 }
    }

    Benchmark("mutex-or-atomic", by: "mutex", threads: 10, expecting: { $0 >= 20_000 }, setUp: { Shared() }) {
      await $0.addUnderMutex(20_000)
    }
    Benchmark("mutex-or-atomic", by: "atomic", threads: 10, expecting: { $0 >= 20_000 }, setUp: { Shared() })
    {
      await $0.addAtomically(20_000)
    }

    Benchmark("contended", by: "pthread", threads: 8, expecting: { $0 >= 6_000 }, setUp: { Shared() }) {
      shared in
      for _ in 0..<6_000 { shared.locked { $0 += 1 } }
      return shared.locked { $0 }
    }
    Benchmark("contended", by: "mutex", threads: 8, expecting: { $0 >= 6_000 }, setUp: { Shared() }) {
      shared in
      for _ in 0..<6_000 { shared.mutex.withLock { $0 += 1 } }
      return shared.mutex.withLock { $0 }
    }
  }
}

/// Invariant: `underLock` is touched only in `locked`, `underQueue` only on `queue`.
final class Shared: @unchecked Sendable {
  let mutex = Mutex(0)
  let atomic = Atomic(0)
  // A pthread mutex, on Linux.
  private let lock = NSLock()
  private let queue = DispatchQueue(label: "shared")
  private var underLock = 0
  private var underQueue = 0

  func locked<Value>(_ body: (inout Int) -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body(&underLock)
  }

  // Asynchronous, so that tasks call them and not threads of their own.
  func addUnderMutex(_ times: Int) async -> Int {
    for _ in 0..<times { mutex.withLock { $0 += 1 } }
    return mutex.withLock { $0 }
  }

  func addAtomically(_ times: Int) async -> Int {
    for _ in 0..<times { atomic.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    return atomic.load(ordering: .sequentiallyConsistent)
  }

  func queued<Value>(_ body: (inout Int) -> Value) -> Value { queue.sync { body(&underQueue) } }
}
