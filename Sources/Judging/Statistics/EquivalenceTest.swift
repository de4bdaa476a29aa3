/// Two one-sided sign tests: does the median of independent values lie within ± a margin of 0?
///
/// Schuirmann's two one-sided tests (1987), the intersection-union form: each of two hypotheses, "the median is at least
/// +margin" and "at most −margin", must be rejected, so the larger of their p-values is the p-value of both together and
/// needs no correction. It is rejected at p exactly when the ``MedianInterval`` of level 1 − 2p lies inside the margin.
public struct EquivalenceTest: Sendable, Hashable {
  /// How many values lie below the margin's upper end.
  public let belowUpper: Int
  /// How many values lie above its lower end.
  public let aboveLower: Int
  public let count: Int

  /// - Parameter margin: above 0, on the scale of the values.
  public init(_ values: [Double], margin: Double) {
    precondition(margin > 0, "a margin of equivalence is above 0")
    belowUpper = values.count { $0 < margin }
    aboveLower = values.count { $0 > -margin }
    count = values.count
  }

  /// The p-value: 1 if there are no values. Values that lie on an end count as trials that speak against equivalence.
  public var pValue: Double {
    BinomialTail.lower(count - min(belowUpper, aboveLower), trials: count)
  }
}
