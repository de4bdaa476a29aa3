import Foundation

/// Runs the body on `count` threads at once; returns when all are done and have released it.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  let arrived = Counter()
  for index in 0..<count {
    group.enter()
    let own = Guarded<(@Sendable (Int) -> Void)?>(body)
    Thread.detachNewThread {
      arrived.add()
      while arrived.current < count { sched_yield() }
      own.exchange(nil)!(index)
      group.leave()
    }
  }
  group.wait()
}

/// Runs the body on a thread with a small stack, by default as small as Dispatch's; returns when it is done.
package func onSmallStack(byteCount: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = byteCount
  thread.start()
  done.wait()
}

/// A thread that runs work at the same moment as the caller, round after round.
package final class Opponent: Sendable {
  private let asked = Counter()
  private let ready = Counter()
  private let done = Counter()
  private let job = Guarded<(@Sendable () -> Void)?>(nil)

  package init() {
    let (asked, ready, done, job) = (asked, ready, done, job)
    Thread.detachNewThread {
      for round in 1... {
        while asked.current < round { sched_yield() }
        guard let job = job.exchange(nil) else { return }
        ready.add()
        Self.wait(round * 53)
        job()
        done.add()
      }
    }
  }

  deinit { asked.add() }

  /// Runs both at once; returns when both are done. Each begins as soon as both threads run, or some microseconds later, from
  /// round to round.
  package func race(_ own: () -> Void, against other: @escaping @Sendable () -> Void) {
    _ = job.exchange(other)
    let round = asked.add()
    while ready.current < round { sched_yield() }
    Self.wait(round * 37)
    own()
    while done.current < round { sched_yield() }
  }

  /// One of 101 delays: a prime, independent of other periods in the rounds.
  private static func wait(_ number: Int) {
    let counter = Counter()
    for _ in 0..<number % 101 * 20 { counter.add() }
  }
}
