import RuntimeTiming

extension Future {
  /// The first value; the others are cancelled. If all fail, ``FutureError/allFailed(_:)``.
  @inlinable
  public static func any(_ futures: some Sequence<Future>) -> Future {
    Combination<Value>(
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
    Combination<Value>(
      of: .references(to: futures),
      decide: { source in unsafeDowncast(source, to: Future.self).completedResult },
      assemble: { _ in .failure(FutureError.noFutures) })
  }
}
