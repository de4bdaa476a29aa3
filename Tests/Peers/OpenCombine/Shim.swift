// Stands in for the module that the tests import: our names, and spellings of Combine's that ours lacks.
@_exported import ReactiveStreams
@_exported import ReactiveStreamsOperators

extension Publishers {
  public enum PrefetchStrategy { case keepFull, byRequest }
}

extension Publishers.BufferingStrategy {
  public static func customError(_ make: @escaping @Sendable () -> Failure) -> Self { .fail(make) }
}

extension Publisher {
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> { buffer(size: size, whenFull: whenFull) }
}

extension Publishers.Sequence {
  public init(sequence: Elements) { self.init(sequence) }
}
