extension CoFuture {
  /// All values in the order of the futures, or the first error that comes: then the others are cancelled, those that
  /// nobody else waits for.
  @inlinable public static func all<Element>(_ futures: [CoFuture<Element>]) -> CoFuture<[Element]>
  where Value == [Element] {
    let all = CoFuture<[Element]>()
    all.combine(futures) { Result { try futures.map { try $0.await() } } }
    return all
  }

  /// The values of two to six futures, each with its type; otherwise as `all`.
  @inlinable public static func zip<each Element: Sendable>(
    _ future: repeat CoFuture<each Element>
  ) -> CoFuture<(repeat each Element)> where Value == (repeat each Element) {
    var sources: [AnyCoFuture] = []
    repeat sources.append(each future)
    let zipped = CoFuture<(repeat each Element)>()
    zipped.combine(sources) { Result { (repeat try (each future).await()) } }
    return zipped
  }

  /// The first value that comes; then the others are cancelled, those that nobody else waits for. If all fail, or there is
  /// none, `AllFuturesFailed`.
  @inlinable public static func any(_ futures: [CoFuture]) -> CoFuture {
    let first = CoFuture()
    Combination(
      futures,
      decide: { source in
        if source.failure == nil { first.copy(source) }
        return source.failure == nil
      },
      assemble: { first.complete(.failure(AllFuturesFailed(errors: futures.compactMap(\.failure)))) }
    ).start(for: first)
    return first
  }

  /// Fails with the first error, or succeeds with what is made of all values.
  @inlinable func combine(
    _ sources: [AnyCoFuture], _ assemble: @escaping @Sendable () -> Result<Value, any Error>
  ) {
    Combination(
      sources,
      decide: { source in
        if let failure = source.failure { self.complete(.failure(failure)) }
        return source.failure != nil
      },
      assemble: { self.complete(assemble()) }
    ).start(for: self)
  }
}
