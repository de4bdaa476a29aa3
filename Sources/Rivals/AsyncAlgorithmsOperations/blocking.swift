#if AsyncAlgorithms
  import Dispatch
  import Synchronization

  /// Runs `body` in a task and blocks the calling thread, which must not be one of the global pool, until it ended.
  func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = Mutex<Result<Value, Failure>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Task {
      let result: Result<Value, Failure>
      do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      ended.signal()
    }
    ended.wait()
    return try outcome.withLock { $0! }.get()
  }
#endif
