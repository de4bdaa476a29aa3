extension CoFuture {
  /// The value as a function makes it. An error of this future, or of the function, is the new future's.
  ///
  /// The function runs on the thread that brings the value, or here if it is there; inside another callback, once that has
  /// returned: chains and recursions of any length need no stack. So do not block in it.
  @inlinable public func map<Mapped: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Mapped
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    mapped.follow(self) { source in
      if mapped.isResolved { return }
      let source = unsafeDowncast(source, to: CoFuture<Value>.self)
      mapped.complete(Result { try transform(try source.await()) })
    }
    return mapped
  }

  /// The result of the future that a function makes of the value; otherwise as `map`. Cancelling the new future cancels
  /// whichever of the two is under way, if nobody else waits for it.
  @inlinable public func flatMap<Mapped: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> CoFuture<Mapped>
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    mapped.follow(self) { source in
      if mapped.isResolved { return }
      let source = unsafeDowncast(source, to: CoFuture<Value>.self)
      mapped.adopt { try transform(try source.await()) }
    }
    return mapped
  }

  /// The value, or what a function makes of the error; otherwise as `map`.
  @inlinable public func recover(_ transform: @escaping @Sendable (any Error) throws -> Value) -> CoFuture {
    let recovered = CoFuture()
    recovered.follow(self) { source in
      if recovered.isResolved { return }
      if let failure = source.failure {
        recovered.complete(Result { try transform(failure) })
      } else {
        recovered.copy(source)
      }
    }
    return recovered
  }

  /// The value, or the result of the future that a function makes of the error; otherwise as `flatMap`.
  @inlinable public func flatRecover(
    _ transform: @escaping @Sendable (any Error) throws -> CoFuture
  ) -> CoFuture {
    let recovered = CoFuture()
    recovered.follow(self) { source in
      if recovered.isResolved { return }
      if let failure = source.failure {
        recovered.adopt { try transform(failure) }
      } else {
        recovered.copy(source)
      }
    }
    return recovered
  }

  /// Takes over the result of a future that is resolved.
  @inlinable func copy(_ source: AnyCoFuture) {
    let source = unsafeDowncast(source, to: CoFuture.self)
    complete(Result { try source.await() })
  }

  /// Takes over the result of a future that is about to be made.
  @inlinable func adopt(_ make: () throws -> CoFuture) {
    do {
      let adopted = try make()
      // It would wait for itself, for ever.
      if adopted === self { throw CoroutineError.waitsForItself }
      follow(adopted) { self.copy($0) }
    } catch {
      complete(.failure(error))
    }
  }

  /// The same result, or, on the timer's thread, `CoroutineError.timedOut` if it takes longer: then this future is
  /// cancelled, if nobody else waits for it.
  public func timeout(_ duration: Duration, on timer: CoTimer = .system) -> CoFuture {
    let limited = CoFuture()
    let work = timer.schedule(after: duration) { limited.expire() }
    limited.follow(self) { source in
      work.cancel()
      limited.copy(source)
    }
    limited.setCancelHandler { work.cancel() }
    return limited
  }

  /// The same for a moment, as the timer's `now` counts.
  public func deadline(_ moment: Duration, on timer: CoTimer) -> CoFuture {
    timeout(moment - timer.now, on: timer)
  }
}

extension AnyCoFuture {
  /// Fails because time is up.
  final func expire() {
    let upstream = lock.withLock { self.upstream }
    fail(CoroutineError.timedOut)
    upstream?.withdraw()?.cancel()
  }
}
