extension Future {
  /// All values, in the order of the futures. The first failure is the outcome, and cancels the others.
  @inlinable
  public static func all<Element>(_ futures: some Sequence<Future<Element>>) -> Future<[Element]>
  where Value == [Element] {
    var iterator = futures.makeIterator()
    return combineAll(reserving: futures.underestimatedCount, limit: nil) { iterator.next() }
  }

  /// All values of the futures that `start` makes for the items, in the order of the items.
  ///
  /// Items are taken and started one by one: on the calling thread, and, with a limit, whenever one in flight
  /// has completed, on the thread where that happens. The first failure is the outcome: it cancels what is in
  /// flight, and nothing more is started. A limit below 1 is a programming error.
  @inlinable
  public static func all<Items: Sequence & Sendable, Element>(
    _ items: Items, limit: Int? = nil, _ start: @escaping @Sendable (Items.Element) throws -> Future<Element>
  ) -> Future<[Element]> where Value == [Element] {
    var iterator = items.makeIterator()
    return combineAll(reserving: limit == nil ? items.underestimatedCount : 0, limit: limit) {
      try iterator.next().map(start)
    }
  }

  @inlinable
  static func combineAll<Element>(
    reserving count: Int, limit: Int?, startNext: @escaping () throws -> Future<Element>?
  ) -> Future<[Element]> where Value == [Element] {
    Combination<[Element]>(
      reserving: count, limit: limit, startNext: startNext,
      decide: { source in source.failure.map { .failure($0) } },
      assemble: { sources in
        .success(sources.map { unsafeDowncast($0, to: Future<Element>.self).storedValue })
      })
  }

  /// The outcomes of all futures, in their order. It never fails except by cancellation, which cancels them all.
  @inlinable
  public static func allSettled<Element>(
    _ futures: some Sequence<Future<Element>>
  ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
    var iterator = futures.makeIterator()
    return Combination<[Result<Element, any Error>]>(
      reserving: futures.underestimatedCount, startNext: { iterator.next() }, decide: { _ in nil },
      assemble: { sources in
        .success(sources.map { unsafeDowncast($0, to: Future<Element>.self).completedResult })
      })
  }
}
