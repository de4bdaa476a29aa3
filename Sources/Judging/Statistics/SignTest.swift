/// The sign test: is the median of independent values a given one?
public struct SignTest: Sendable, Hashable {
  /// How many values lie below the median that is tested.
  public let below: Int
  /// How many values lie above it.
  public let above: Int
  /// How many values equal it. They count as trials that speak for neither side.
  public let ties: Int

  public init(_ values: [Double], median: Double = 0) {
    below = values.count { $0 < median }
    above = values.count { $0 > median }
    ties = values.count - below - above
  }

  /// The two-sided p-value: 1 if there are no values.
  ///
  /// Ties stay in the number of trials. Leaving them out, as textbooks do, tests another hypothesis and is wrong for
  /// clocks that tick coarsely: 5 of 5 untied values look certain even if 95 others tied.
  public var pValue: Double {
    let trials = below + above + ties
    // P(at least m of n) = P(at most n − m of n), since the coin is fair.
    return min(1, 2 * BinomialTail.lower(trials - max(below, above), trials: trials))
  }
}
