extension Coroutine {
  /// Runs an async operation as a Swift task and waits for its result without blocking a thread; inside a coroutine.
  ///
  /// If the coroutine is cancelled meanwhile, so is the task, and this still waits for its result or error. Without a
  /// scheduler the coroutine goes on on the thread of the task, one of Swift's cooperative pool.
  ///
  /// The other way, async code starts a coroutine and awaits its ``CoFuture/value``.
  public static func await<Value: Sendable>(
    priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    try withContinuation(cancel: { $0.cancel() }, file: file, line: line) { continuation in
      Task(priority: priority) { await continuation.resume(with: Result(operation)) }
    }
  }
}

extension Result where Failure == any Error, Success: Sendable {
  fileprivate init(_ operation: @Sendable () async throws -> Success) async {
    do { self = .success(try await operation()) } catch { self = .failure(error) }
  }
}
