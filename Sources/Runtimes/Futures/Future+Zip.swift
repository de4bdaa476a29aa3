extension Future {
  /// The values of all futures, each with its own type. The first failure is the outcome, and cancels the others.
  @inlinable
  public static func zip<each Element: Sendable>(
    _ future: repeat Future<each Element>
  ) -> Future<(repeat each Element)> where Value == (repeat each Element) {
    var sources: ContiguousArray<AnyFuture> = []
    repeat sources.append(each future)
    var iterator = sources.makeIterator()
    return Combination<(repeat each Element)>(
      reserving: sources.count, startNext: { iterator.next() },
      decide: { source in source.failure.map { .failure($0) } },
      assemble: { _ in .success((repeat (each future).storedValue)) })
  }
}
