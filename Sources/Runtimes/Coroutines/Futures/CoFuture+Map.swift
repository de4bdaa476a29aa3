extension CoFuture {
  /// The result as a function makes it.
  ///
  /// The function runs on the thread that brings the result, or here if it is there; inside another callback, once that has
  /// returned: chains and recursions of any length need no stack. So do not block in it. It does not run if the new future is
  /// cancelled before: what must always run stands in a coroutine's `defer`, or in this future's `whenComplete`.
  @inlinable public final func mapResult<Mapped: Sendable>(
    _ transform: sending @escaping (Result<Value, any Error>) -> Result<Mapped, any Error>
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Called once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if !mapped.isResolved { mapped.complete(transform(source.result(of: Value.self))) }
    }
    return mapped
  }

  /// The value as a function makes it. An error of this future, or of the function, is the new future's. As `mapResult`.
  @inlinable public final func map<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> Mapped
  ) -> CoFuture<Mapped> {
    mapResult { result in Result { try transform(result.get()) } }
  }

  /// The value, or what a function makes of the error. As `mapResult`.
  @inlinable public final func recover(_ transform: sending @escaping (any Error) throws -> Value) -> CoFuture
  {
    mapResult { result in result.flatMapError { error in Result { try transform(error) } } }
  }

  /// The result of the future that a function makes of this one's; otherwise as `mapResult`. Cancelling the new future cancels
  /// the one of the two that is under way, if nothing else waits for it.
  @inlinable public final func flatMapResult<Mapped: Sendable>(
    _ transform: sending @escaping (Result<Value, any Error>) throws -> CoFuture<Mapped>
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Called once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if !mapped.isResolved { mapped.adopt { try transform(source.result(of: Value.self)) } }
    }
    return mapped
  }

  /// The result of the future that a function makes of the value. As `flatMapResult`.
  @inlinable public final func flatMap<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> CoFuture<Mapped>
  ) -> CoFuture<Mapped> {
    flatMapResult { try transform($0.get()) }
  }

  /// The value, or the result of the future that a function makes of the error. As `flatMapResult`.
  @inlinable public final func flatMapError(
    _ transform: sending @escaping (any Error) throws -> CoFuture
  ) -> CoFuture {
    flatMapResult { result in
      if case .failure(let error) = result { return try transform(error) }
      return CoFuture(result: result)
    }
  }

  /// Takes over the result of a future that is about to be made.
  @inlinable final func adopt(_ make: () throws -> CoFuture) {
    do {
      let adopted = try make()
      // It would wait for itself, without an end.
      if adopted === self { throw CoroutineError.waitsForItself }
      follow(adopted) { self.complete($0.result(of: Value.self)) }
    } catch {
      complete(.failure(error))
    }
  }
}
