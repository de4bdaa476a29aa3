import Coroutines
import Synchronization

/// Two numbers behind a `Mutex`, which coroutines lock again and again, and suspend in between.
package final class SharedMutex: Sendable {
  private let numbers = Mutex([0, 0])

  package init() {}
  package var sum: Int { numbers.withLock { $0[0] + $0[1] } }

  /// The compiler looks up the thread's id once for the whole loop.
  package func count(to last: Int, _ index: Int) {
    for _ in 0..<last {
      numbers.withLock { $0[index & 1] += 1 }
      Coroutine.yield()
    }
  }

  /// Counts, resumed by another thread each time.
  package func count(to last: Int, _ index: Int, resume: (CoContinuation<Void>) -> Void) throws {
    for _ in 0..<last {
      numbers.withLock { $0[index & 1] += 1 }
      try Coroutine.withContinuation(resume)
    }
  }
}
