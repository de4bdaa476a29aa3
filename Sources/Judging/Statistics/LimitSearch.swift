/// Searches for the highest rate that is sustained, by tries of which noise may falsify any.
///
/// It doubles the rate until one is missed, or halves it until one is held, then halves the interval in the logarithm. A missed rate is
/// tried twice; at the end the held rate is confirmed, and one above and one below are tried.
public struct LimitSearch: Sendable {
  /// The result of one try.
  public enum Answer: Sendable, Hashable {
    case held, missed
    /// Missed, for a reason that is not known.
    case unclear
  }

  private struct Tries {
    var held = 0
    var missed = 0
    var unclear = 0

    /// nil: it must be tried again.
    var isHeld: Bool? {
      if missed >= 2 { return false }
      if held >= 2 || (held == 1 && missed == 0) { return true }
      // A bound on waiting for a quiet machine.
      return unclear >= 3 ? false : nil
    }
    var isConfirmed: Bool { held >= 2 }
  }

  /// A rate that was found wrong reopens the search at most this often.
  private static let mostReopenings = 2

  private let start: Double
  private let precision: Double
  private let bounds: ClosedRange<Double>
  private var tries: [Double: Tries] = [:]
  private var reopenings = 0
  public private(set) var count = 0

  /// - Parameters:
  ///   - start: the first rate to try.
  ///   - precision: the largest difference between the ends, as a share of the lower one.
  ///   - bounds: of all rates.
  public init(start: Double, precision: Double, bounds: ClosedRange<Double>) {
    self.start = min(max(start, bounds.lowerBound), bounds.upperBound)
    self.precision = precision
    self.bounds = bounds
  }

  /// The highest held rate; nil of none.
  public var held: Double? { tries.filter { $0.value.isHeld == true }.keys.max() }

  /// The lowest missed rate above it; nil of none.
  public var missed: Double? {
    let low = held ?? 0
    return tries.filter { $0.key > low && $0.value.isHeld == false }.keys.min()
  }

  /// Whether no lower rate was missed.
  public var isMonotone: Bool {
    guard let held else { return true }
    return !tries.contains { $0.key < held && $0.value.isHeld == false }
  }

  /// Whether the limit rests on unclear tries alone.
  public var isLimitUnclear: Bool { missed.flatMap { tries[$0] }.map { $0.missed < 2 } ?? false }

  public mutating func record(_ answer: Answer, at rate: Double) {
    count += 1
    let previous = missed
    switch answer {
    case .held: tries[rate, default: Tries()].held += 1
    case .missed: tries[rate, default: Tries()].missed += 1
    case .unclear: tries[rate, default: Tries()].unclear += 1
    }
    if let previous, rate > previous, held == rate { reopenings += 1 }
  }

  /// The next rate to try; nil: the search is over.
  public var next: Double? {
    if let rate = tries.filter({ $0.value.isHeld == nil }).keys.min() { return rate }
    guard let low = held else {
      guard let lowest = tries.keys.min() else { return start }
      return lowest > bounds.lowerBound ? max(lowest / 2, bounds.lowerBound) : nil
    }
    guard let high = missed else {
      if low < bounds.upperBound { return min(low * 2, bounds.upperBound) }
      return confirmation(of: low)
    }
    if high / low > 1 + precision { return (low * high).squareRoot() }
    return confirmation(of: low) ?? above(high) ?? below(low)
  }

  private func confirmation(of low: Double) -> Double? { tries[low]?.isConfirmed == true ? nil : low }

  /// If bad luck made a rate look missed, one above it is held.
  private func above(_ high: Double) -> Double? {
    let rate = high * 1.25
    guard reopenings < Self.mostReopenings, rate <= bounds.upperBound else { return nil }
    return tries.keys.contains { $0 > high && $0 <= high * 1.5 } ? nil : rate
  }

  private func below(_ low: Double) -> Double? {
    let rate = max(low * 0.75, bounds.lowerBound)
    return rate == low || tries.keys.contains { $0 >= low * 0.6 && $0 <= low * 0.9 } ? nil : rate
  }
}
