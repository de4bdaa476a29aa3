import RuntimeSupport

extension Future {
  /// All values, in the order of the futures. The first failure is the outcome, and cancels the others.
  @inlinable
  public static func all<Element>(_ futures: some Sequence<Future<Element>>) -> Future<[Element]>
  where Value == [Element] {
    combineAll(of: .references(to: futures))
  }

  /// All values of the futures that `start` makes for the items, in the order of the items.
  ///
  /// Items are started one by one: on the calling thread and, with a limit (at least 1), where one in flight completes.
  /// The first failure is the outcome: it cancels what is in flight, and nothing more is started.
  @inlinable
  public static func all<Items: Sequence & Sendable, Element>(
    _ items: Items, limit: Int? = nil, _ start: @escaping @Sendable (Items.Element) throws -> Future<Element>
  ) -> Future<[Element]> where Value == [Element] {
    var iterator = items.makeIterator()
    var sources: [AnyFuture] = []
    if limit == nil { sources.reserveCapacity(items.underestimatedCount) }
    return combineAll(of: sources, limit: limit) { try iterator.next().map(start) }
  }

  @inlinable
  static func combineAll<Element>(
    of sources: [AnyFuture], limit: Int? = nil, startNext: (() throws -> AnyFuture?)? = nil
  ) -> Future<[Element]> where Value == [Element] {
    FutureCombination<[Element]>(
      of: sources, limit: limit, startNext: startNext,
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
    FutureCombination<[Result<Element, any Error>]>(
      of: .references(to: futures), decide: { _ in nil },
      assemble: { sources in
        .success(sources.map { unsafeDowncast($0, to: Future<Element>.self).completedResult })
      })
  }

  /// The first value; the others are cancelled. If all fail, ``FutureError/allFailed(_:)``.
  @inlinable
  public static func any(_ futures: some Sequence<Future>) -> Future {
    FutureCombination<Value>(
      of: .references(to: futures),
      decide: { source in
        source.failure == nil ? .success(unsafeDowncast(source, to: Future.self).storedValue) : nil
      },
      assemble: { sources in
        sources.isEmpty
          ? .failure(FutureError.noFutures)
          : .failure(FutureError.allFailed(ErrorList(sources.compactMap(\.failure))))
      })
  }

  /// The first outcome, value or error; the others are cancelled.
  @inlinable
  public static func race(_ futures: some Sequence<Future>) -> Future {
    FutureCombination<Value>(
      of: .references(to: futures),
      decide: { source in unsafeDowncast(source, to: Future.self).completedResult },
      assemble: { _ in .failure(FutureError.noFutures) })
  }

  /// The values of all futures, each with its own type. The first failure is the outcome, and cancels the others.
  @inlinable
  public static func zip<each Element: Sendable>(
    _ future: repeat Future<each Element>
  ) -> Future<(repeat each Element)> where Value == (repeat each Element) {
    var sources: [AnyFuture] = []
    repeat sources.append(each future)
    return FutureCombination<(repeat each Element)>(
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

extension [AnyFuture] {
  /// The futures without their types.
  @inlinable
  static func references<Value>(to futures: some Sequence<Future<Value>>) -> [AnyFuture] {
    // An array of references to a class is one of references to its base class: nothing is copied or retained.
    unsafeBitCast(Array<Future<Value>>(futures), to: [AnyFuture].self)
  }
}
