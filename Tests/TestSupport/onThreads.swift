import Foundation

/// Runs the body on that many threads at once and returns when all are done, and hold nothing of it any more.
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

/// Runs the body on a thread with a stack as small as those of Dispatch, or another, and returns when it is done.
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
