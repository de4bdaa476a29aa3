import ReactiveStreams

/// One value that says something of all. What is known early ends the stream and cancels the upstream.
extension Publisher {
  /// Publishes whether one value at least satisfies the predicate.
  public func contains(
    where predicate: @escaping @Sendable (Output) -> Bool
  ) -> some Publisher<Bool, Failure> {
    first(where: predicate).map { _ in true }.replaceEmpty(with: false)
  }

  /// Publishes whether every value satisfies the predicate; true if there is none.
  public func allSatisfy(
    _ predicate: @escaping @Sendable (Output) -> Bool
  ) -> some Publisher<Bool, Failure> {
    contains { !predicate($0) }.map { !$0 }
  }

  /// Publishes the smallest value, the first of equal ones, when this publisher finishes; none of none.
  public func min(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    best { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value, the first of equal ones, when this publisher finishes; none of none.
  public func max(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    best { areInIncreasingOrder($0, $1) }
  }

  private func best(
    _ isBeaten: @escaping @Sendable (Output, Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    reduce(Output?.none) { best, value in best.map { isBeaten($0, value) ? value : $0 } ?? value }
      .compactMap { $0 }
  }

  /// Publishes the last value that satisfies the predicate, when this publisher finishes; none of none.
  public func last(
    where predicate: @escaping @Sendable (Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    filter(predicate).last()
  }
}

extension Publisher where Output: Equatable {
  /// Publishes whether this value comes.
  public func contains(_ output: Output) -> some Publisher<Bool, Failure> { contains { $0 == output } }
}

extension Publisher where Output: Comparable {
  /// Publishes the smallest value when this publisher finishes; none of none.
  public func min() -> some Publisher<Output, Failure> { min { $0 < $1 } }

  /// Publishes the greatest value when this publisher finishes; none of none.
  public func max() -> some Publisher<Output, Failure> { max { $0 < $1 } }
}
