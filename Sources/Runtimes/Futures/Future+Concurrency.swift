extension Future {
  /// The value, once it is known. Cancelling the waiting task cancels the future.
  public final var value: Value {
    get async throws {
      if let result { return try result.get() }
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          whenComplete { continuation.resume(with: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// The outcome of asynchronous code, run in a task of its own. Cancelling the future cancels the task.
  public static func async(
    priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) -> Future {
    let promise = Promise<Value>()
    let task = Task.detached(priority: priority) {
      do { promise.succeed(try await body()) } catch { promise.fail(error) }
    }
    promise.onCancel { task.cancel() }
    return promise.future
  }
}
