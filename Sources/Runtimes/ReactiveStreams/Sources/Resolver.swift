/// The producer's end of a result that is delivered once. Call it like a function, from any thread.
///
/// Only the first call counts.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  // One reference, so a closure around a resolver needs no context of its own.
  @usableFromInline let target: CallbackSubscription<Output, Failure>

  @inlinable init(_ target: CallbackSubscription<Output, Failure>) { self.target = target }

  /// Answers, and delivers on this thread if the answer has been asked for.
  @inlinable
  public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  /// The same with a value.
  @inlinable
  public func succeed(_ output: Output) { target.resolve(.success(output)) }

  /// The same with a failure.
  @inlinable
  public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}
