import Foundation
import Testing

/// Runs each test of a suite on its own thread, and ends the process if one exceeds its limit.
///
/// Swift Testing runs tests on the cooperative pool, which has a thread per processor: a blocking test would starve the code
/// under test. So every suite has this trait (`Scripts/check` checks it); what a test awaits, and its child tasks, run on
/// `TestThreads` too.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  fileprivate let minutes: Int

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await TurnQueue.shared.begin(minutes: minutes)
    let watched = HangWatch.shared.begin("\(test.id)", limit: .seconds(minutes * 60))
    defer {
      HangWatch.shared.end(watched)
      TurnQueue.shared.end()
    }
    try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// A thread for each test, and five minutes: some hundred times what most take on a quiet machine.
  package static var ownThread: Self { .ownThread(minutes: 5) }

  /// A thread for each test, and a limit for each case. Suites with more than five minutes go first.
  package static func ownThread(minutes: Int) -> Self { OwnThread(minutes: minutes) }
}

/// Runs six tests per processor at once, since the longest mostly wait; the others await their turn without a thread. The
/// longest go first, so that none runs alone at the end.
///
/// `@unchecked Sendable`: `free` and `waiting` are accessed only under `lock`.
final class TurnQueue: @unchecked Sendable {
  static let shared = TurnQueue(turns: 6 * ProcessInfo.processInfo.activeProcessorCount)

  private let lock = NSLock()
  private var free: Int
  /// In the order in which they continue.
  private var waiting: [(minutes: Int, continuation: CheckedContinuation<Void, Never>)] = []

  private init(turns: Int) { free = turns }

  /// - Parameter minutes: the time limit.
  func begin(minutes: Int) async {
    await withCheckedContinuation { continuation in
      let mayBegin = lock.withLock {
        guard free == 0 else {
          free -= 1
          return true
        }
        let place = waiting.firstIndex { $0.minutes < minutes } ?? waiting.endIndex
        waiting.insert((minutes, continuation), at: place)
        return false
      }
      if mayBegin { continuation.resume() }
    }
  }

  func end() {
    let next: CheckedContinuation<Void, Never>? = lock.withLock {
      guard waiting.isEmpty else { return waiting.removeFirst().continuation }
      free += 1
      return nil
    }
    next?.resume()
  }
}

/// Ends the process, and names the test, when one exceeds its limit. Swift Testing's own limit cancels the test's task and
/// waits for it, which a blocked thread never ends.
///
/// `@unchecked Sendable`: `running` and `started` are accessed only under `lock`.
final class HangWatch: @unchecked Sendable {
  static let shared = HangWatch()

  private let lock = NSLock()
  private var running: [Int: (name: String, since: ContinuousClock.Instant, limit: Duration)] = [:]
  private var started = 0

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        sleep(1)
        guard let name = overdue(at: .now) else { continue }
        FileHandle.standardError.write(Data("\(name) has not ended within its time limit\n".utf8))
        abort()
      }
    }
  }

  /// Returns a number for `end`.
  func begin(_ name: String, limit: Duration) -> Int {
    // A long soak adds its duration, and a sanitizer slows everything down.
    let limit = limit * (isUnderSanitizer ? 10 : 1) + (Soak.seconds ?? .zero)
    return lock.withLock {
      started += 1
      running[started] = (name, .now, limit)
      return started
    }
  }

  func end(_ number: Int) { _ = lock.withLock { running.removeValue(forKey: number) } }

  private func overdue(at now: ContinuousClock.Instant) -> String? {
    lock.withLock { running.values.first { now - $0.since > $0.limit }?.name }
  }
}

/// Runs tests on threads that it starts whenever none is idle, so that a blocked one starves no other.
///
/// `@unchecked Sendable`: `jobs` and `idle` are accessed only under `condition`.
package final class TestThreads: TaskExecutor, @unchecked Sendable {
  package static let shared = TestThreads()

  /// Whether the calling thread is one of them.
  package static var areCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

  /// No name: Foundation loses one that a thread sets before its `start()` has returned.
  private static let mark = "runs tests"

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var idle = 0

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if jobs.count <= idle { condition.signal() } else { startThread() }
    }
  }

  private func startThread() {
    let thread = Thread { [self] in
      Thread.current.threadDictionary[Self.mark] = true
      while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }
    // As large as a main thread's: tests of deep recursion choose a small stack themselves.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func next() -> UnownedJob {
    condition.withLock {
      idle += 1
      while jobs.isEmpty { condition.wait() }
      idle -= 1
      return jobs.removeFirst()
    }
  }
}
