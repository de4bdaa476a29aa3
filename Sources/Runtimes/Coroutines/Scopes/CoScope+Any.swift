extension CoScope {
  /// Runs the bodies at once and returns the first result that comes: the others are cancelled then, and have ended when
  /// this returns; inside a coroutine.
  ///
  /// The last body runs on the calling coroutine, the others on their own. Each begins here, when those before it have
  /// suspended or ended, and resumes on the caller's scheduler.
  ///
  /// - Throws: `AllFuturesFailed`, with the errors in the order of the bodies, if none has a result, and
  ///   `CancellationError` if the calling coroutine is cancelled.
  public static func any<Value: Sendable>(_ bodies: (@Sendable () throws -> Value)...) throws -> Value {
    guard let last = bodies.last else { throw AllFuturesFailed(errors: []) }
    let errors: [any Error]
    do {
      errors = try run(on: FiberPointer.current(for: "CoScope.any").pointee.scheduler) { scope in
        let others = try bodies.dropLast().map { body in try scope.asyncHere { try error(of: body) } }
        // Over already, if one has its result.
        try Coroutine.checkCancellation()
        let lastError = try error(of: last)
        return try others.map { try $0.await() } + [lastError]
      }
    } catch let won as Won<Value> {
      return won.value
    }
    throw AllFuturesFailed(errors: errors)
  }

  /// What the body throws; throws its result, which ends the scope.
  private static func error<Value: Sendable>(of body: () throws -> Value) throws -> any Error {
    let value: Value
    do { value = try body() } catch { return error }
    throw Won(value: value)
  }
}

/// The first result, as what ends a scope.
private struct Won<Value: Sendable>: Error { let value: Value }
