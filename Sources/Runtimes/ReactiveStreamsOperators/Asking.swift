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

/// Something that can be ended, from any thread; once is enough.
public protocol Cancellable: Sendable {
  /// Ends it, if it has not ended.
  func cancel()
}

extension AnyCancellable: Cancellable {}

extension AnyCancellable {
  /// Cancels it at most once: on the first `cancel()`, or when the last reference to this goes.
  public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }
}

extension Cancellable {
  /// Keeps this alive in a collection that the caller owns; it is cancelled when it is taken out.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    AnyCancellable(self).store(in: &collection)
  }

  /// Keeps this alive in a set that the caller owns; it is cancelled when it is taken out.
  public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}

/// Counts in place of demands. Nothing goes below zero; unlimited stays so, and what would overflow is unlimited.
extension Subscribers.Demand {
  /// As many more, or fewer if it is negative.
  public static func + (left: Self, right: Int) -> Self {
    right < 0 ? left - right.magnitude.demand : left + .max(right)
  }

  /// As many fewer, or more if it is negative.
  public static func - (left: Self, right: Int) -> Self {
    right < 0 ? left + right.magnitude.demand : left - .max(right)
  }

  /// So many times as many. Traps when that is negative.
  public static func * (left: Self, right: Int) -> Self {
    precondition(right >= 0, "a demand can not be negative")
    guard let count = left.max else { return right == 0 ? .none : .unlimited }
    let (product, overflow) = count.multipliedReportingOverflow(by: right)
    return overflow ? .unlimited : .max(product)
  }

  /// Adds a count.
  public static func += (left: inout Self, right: Int) { left = left + right }
  /// Takes away a count.
  public static func -= (left: inout Self, right: Int) { left = left - right }
  /// Multiplies by a count.
  public static func *= (left: inout Self, right: Int) { left = left * right }

  /// Whether it is just as many; unlimited is no count.
  public static func == (left: Self, right: Int) -> Bool { left.max == right }
  /// Whether it is not just as many.
  public static func != (left: Self, right: Int) -> Bool { left.max != right }
  /// Whether it is fewer; unlimited is more than any count.
  public static func < (left: Self, right: Int) -> Bool { left.max.map { $0 < right } ?? false }
  /// Whether it is as many or fewer.
  public static func <= (left: Self, right: Int) -> Bool { left.max.map { $0 <= right } ?? false }
  /// Whether it is more.
  public static func > (left: Self, right: Int) -> Bool { !(left <= right) }
  /// Whether it is as many or more.
  public static func >= (left: Self, right: Int) -> Bool { !(left < right) }
}

extension UInt {
  fileprivate var demand: Subscribers.Demand { .max(Int(clamping: self)) }
}
