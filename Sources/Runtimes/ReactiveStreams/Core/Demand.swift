extension Subscribers {
  /// How many values a subscriber wants: a count from zero up, or unlimited.
  ///
  /// Sums saturate at `.unlimited`, which no subtraction reduces. A count of `Int.max` is unlimited
  /// (rule 3.17).
  public struct Demand: Sendable, Hashable, Comparable {
    @usableFromInline let rawCount: Int

    @inlinable init(rawCount: Int) { self.rawCount = rawCount }

    /// As many as there are.
    @inlinable public static var unlimited: Demand { Demand(rawCount: .max) }

    /// No value.
    @inlinable public static var none: Demand { Demand(rawCount: 0) }

    /// At most `count` values. Traps when `count` is negative.
    @inlinable public static func max(_ count: Int) -> Demand {
      precondition(count >= 0, "a demand can not be negative")
      return Demand(rawCount: count)
    }

    /// The count, or `nil` when unlimited.
    @inlinable public var max: Int? { rawCount == .max ? nil : rawCount }

    @inlinable public static func < (left: Demand, right: Demand) -> Bool {
      left.rawCount < right.rawCount
    }

    /// The sum; what would overflow is unlimited.
    @inlinable public static func + (left: Demand, right: Demand) -> Demand {
      let (sum, overflow) = left.rawCount.addingReportingOverflow(right.rawCount)
      return Demand(rawCount: overflow ? .max : sum)
    }

    /// Adds; what would overflow is unlimited.
    @inlinable public static func += (left: inout Demand, right: Demand) { left = left + right }

    /// The rest after `right`, never below zero; unlimited less anything is unlimited.
    @inlinable public static func - (left: Demand, right: Demand) -> Demand {
      left.rawCount == .max ? left : Demand(rawCount: Swift.max(0, left.rawCount - right.rawCount))
    }

    /// Takes away, down to zero; unlimited stays so.
    @inlinable public static func -= (left: inout Demand, right: Demand) { left = left - right }
  }
}

extension Subscribers.Demand: CustomStringConvertible {
  public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}
