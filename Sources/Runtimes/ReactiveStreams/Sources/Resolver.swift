/// The producer's end of a result that is delivered once. Call it like a function, from any thread.
///
/// Only the first call counts.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  // One reference, so a closure around a resolver needs no context of its own.
  @usableFromInline let target: CallbackSubscription<Output, Failure>

  @inlinable init(_ target: CallbackSubscription<Output, Failure>) { self.target = target }

  @inlinable
  public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  @inlinable
  public func succeed(_ output: Output) { target.resolve(.success(output)) }

  @inlinable
  public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}
