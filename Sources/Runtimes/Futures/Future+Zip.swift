extension Future {
  /// The values of all futures, each with its own type. The first failure is the outcome, and cancels the others.
  @inlinable
  public static func zip<each Element: Sendable>(
    _ future: repeat Future<each Element>
  ) -> Future<(repeat each Element)> where Value == (repeat each Element) {
    var sources: [AnyFuture] = []
    repeat sources.append(each future)
    return Combination<(repeat each Element)>(
      of: sources,
      decide: { source in source.failure.map { .failure($0) } },
      assemble: { sources in
        var remaining = sources.makeIterator()
        func next<Next: Sendable>(_: Next.Type) -> Next {
          unsafeDowncast(remaining.next()!, to: Future<Next>.self).storedValue
        }
        return .success((repeat next((each Element).self)))
      })
  }
}
