import Futures
import TestSupport
import Testing

/// A failure of these tests is a hang: the callback waits for itself.
@Suite(.ownThread) struct WaitTests {
  enum Made: CaseIterable { case map, flatMap, all }

  private func derive(_ made: Made, from future: Future<Int>) -> Future<Int> {
    switch made {
    case .map: future.map { $0 * 2 }
    case .flatMap: future.flatMap { Future(value: $0 * 2) }
    case .all: Future.all([future]).map { $0[0] * 2 }
    }
  }

  @Test(arguments: Made.allCases) func `a callback can wait for a future that it completes`(_ made: Made) {
    let (first, second) = (Promise<Int>(), Promise<Int>())
    let value = Guarded<Int?>(nil)
    first.future.whenComplete { _ in
      let derived = derive(made, from: second.future)
      second.succeed(21)
      value.withLock { $0 = try? derived.wait() }
    }
    first.succeed(1)
    #expect(value.withLock { $0 } == 42)
  }

  @Test func `a callback can wait for another thread`() {
    let (first, second) = (Promise<Int>(), Promise<Int>())
    let value = Guarded<Int?>(nil)
    onThreads(2) { thread in
      if thread == 1 {
        second.succeed(21)
      } else {
        first.future.map { $0 + (try! second.future.map { $0 * 2 }.wait()) }.whenComplete { result in
          value.withLock { $0 = try? result.get() }
        }
        first.succeed(1)
      }
    }
    #expect(value.withLock { $0 } == 43)
  }
}
