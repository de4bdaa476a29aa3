import ReactiveStreams

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
