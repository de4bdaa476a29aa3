import Dispatch
import Synchronization

/// Runs async work from a thread that may block, such as the harness's, and returns its answer. Never from the pool's.
public func performAsync<Failure: Error>(
  _ work: @escaping @Sendable () async throws(Failure) -> Int
) throws(Failure) -> Int {
  let outcome = Mutex<Result<Int, Failure>?>(nil)
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    let result: Result<Int, Failure>
    do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    ended.signal()
  }
  ended.wait()
  return try outcome.withLock { $0! }.get()
}
