import Foundation
import Futures
import Synchronization

/// What callbacks said, in order, from any thread.
final class Log<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])
  var entries: [Entry] { state.withLock { $0 } }
  var count: Int { entries.count }
  func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

struct Failure: Error, Equatable { var code = 1 }

extension Future {
  var failureDescription: String? {
    if case .failure(let error) = result { "\(error)" } else { nil }
  }
}

/// Counts its own instances that are alive.
final class Witness: Sendable {
  let count: Atomic<Int>.Box
  init(_ count: Atomic<Int>.Box) {
    self.count = count
    count.value.add(1, ordering: .relaxed)
  }
  deinit { count.value.subtract(1, ordering: .relaxed) }
}

extension Atomic where Value == Int {
  final class Box: Sendable {
    let value = Atomic<Int>(0)
    var current: Int { value.load(ordering: .acquiring) }
  }
}

/// Runs the body on that many threads at once and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  let gate = Atomic<Int>.Box()
  for index in 0..<count {
    group.enter()
    Thread.detachNewThread {
      gate.value.add(1, ordering: .acquiringAndReleasing)
      while gate.current < count { sched_yield() }
      body(index)
      group.leave()
    }
  }
  group.wait()
}
