/// The producer's end of a result that is delivered once. Call it like a function, from any thread.
///
/// Only the first call counts.
public struct Resolver<Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let target: ResolverTarget<Output, Failure>

  @inlinable init(_ target: ResolverTarget<Output, Failure>) { self.target = target }

  @inlinable
  public func callAsFunction(_ result: Result<Output, Failure>) { target.resolve(result) }

  @inlinable
  public func succeed(_ output: Output) { target.resolve(.success(output)) }

  @inlinable
  public func fail(_ error: Failure) { target.resolve(.failure(error)) }
}

/// What a resolver resolves. One reference, so a closure around a resolver needs no context of its own.
///
/// `@unchecked Sendable`: has no state; a subclass states how it guards its own.
@usableFromInline
class ResolverTarget<Output: Sendable, Failure: Error>: @unchecked Sendable {
  @inlinable init() {}
  @inlinable func resolve(_ result: Result<Output, Failure>) {}
}
