import Dispatch

/// Runs async work from a thread that may block, such as the harness's, and returns its answer.
public func performAsync(_ work: @escaping @Sendable () async -> Int) -> Int {
  let tally = Tally()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    tally.add(await work())
    done.signal()
  }
  done.wait()
  return tally.sum
}
