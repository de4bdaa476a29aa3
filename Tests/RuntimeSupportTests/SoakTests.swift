import TestSupport
import RuntimeSupport
import Testing

/// Threads start and cancel timers, before they are due, when they are, and in their callbacks.
@Suite(.ownThread) struct SoakTests {
  private static let threads = 3
  private static let operationsPerThread = 2_000

  @Test func `timers that are cancelled at random call back once or never`() {
    let soak = Soak("RuntimeSupport", shortRounds: 4)
    let problem = soak.run(operations: Self.threads * Self.operationsPerThread, Self.round)
    #expect(problem == nil)
  }

  private static func round(_ seed: UInt64) -> String? {
    let alive = Counter()
    let wrong = Counter()
    onThreads(threads) { thread in
      var random = SeededNumbers(seed: seed &* 31 &+ UInt64(thread))
      var timers: [(timer: OneShotTimer, calls: Counter)] = []
      for _ in 0..<operationsPerThread {
        if Bool.random(using: &random) || timers.isEmpty {
          let calls = Counter()
          let witness = Witness(alive)
          let delay = Int.random(in: -10...2_000, using: &random)
          let timer = OneShotTimer(after: .microseconds(delay)) {
            if calls.add() > 1 { wrong.add() }
            withExtendedLifetime(witness) {}
            // One more, from within.
            OneShotTimer(after: .microseconds(delay)) { withExtendedLifetime(witness) {} }.cancel()
          }
          timers.append((timer, calls))
        } else {
          let (timer, calls) = timers.remove(at: Int.random(in: timers.indices, using: &random))
          timer.cancel()
          let count = calls.current
          // A cancelled callback does not begin, though it may be running.
          timer.cancel()
          if calls.current > count + 1 { wrong.add() }
        }
      }
      // The others are released, and still call back.
    }
    let areReleased = comesTrue { alive.current == 0 }
    if wrong.current > 0 { return "\(wrong.current) timers called back again" }
    return areReleased ? nil : "\(alive.current) callbacks are alive"
  }
}
