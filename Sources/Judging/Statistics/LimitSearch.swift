/// Searches for the highest rate that a contender sustains. Noise may falsify the result of any try.
///
/// The search doubles or halves the rate until one rate is held (sustained) and a higher rate is missed, then bisects on a logarithmic
/// scale. A missed rate is tried twice. At the end the held rate is confirmed, and one rate above and one below are tried.
public struct LimitSearch: Sendable {
  /// The result of trying one rate.
  public enum Answer: Sendable, Hashable {
    case held, missed
    /// The rate was not sustained, but perhaps not because of the contender.
    case unclear
  }

  private struct Tries {
    var held = 0
    var missed = 0
    var unclear = 0

    /// Whether the contender sustains the rate; `nil` if the rate must be tried again.
    var isHeld: Bool? {
      if missed >= 2 { return false }
      if held >= 2 || (held == 1 && missed == 0) { return true }
      // Three unclear tries count as a miss. Without this bound, the search might wait long for a quiet machine.
      return unclear >= 3 ? false : nil
    }
    var isConfirmed: Bool { held >= 2 }
  }

  /// The number of times that the search may continue because a rate above a missed rate was sustained.
  private static let mostReopenings = 2

  private let start: Double
  private let precision: Double
  private let bounds: ClosedRange<Double>
  private var tries: [Double: Tries] = [:]
  private var reopenings = 0
  public private(set) var count = 0

  /// - Parameters:
  ///   - start: the first rate to try.
  ///   - precision: the largest accepted distance from the sustained rate to the missed one, as a share of the sustained rate.
  ///   - bounds: the lowest and the highest rate to try.
  public init(start: Double, precision: Double, bounds: ClosedRange<Double>) {
    self.start = min(max(start, bounds.lowerBound), bounds.upperBound)
    self.precision = precision
    self.bounds = bounds
  }

  /// The highest rate that was sustained; `nil` if no rate was.
  public var held: Double? { tries.filter { $0.value.isHeld == true }.keys.max() }

  /// The lowest rate above ``held`` that was not sustained; `nil` if there is none.
  public var missed: Double? {
    let low = held ?? 0
    return tries.filter { $0.key > low && $0.value.isHeld == false }.keys.min()
  }

  /// Whether the contender sustained every tried rate below ``held``.
  public var isMonotone: Bool {
    guard let held else { return true }
    return !tries.contains { $0.key < held && $0.value.isHeld == false }
  }

  /// Whether ``missed`` is based on unclear tries instead of two clear misses.
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

  /// The next rate to try; `nil` at the end of the search.
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

  /// A rate above `high`, which was not sustained, to try whether that result was bad luck; `nil` if no such try remains.
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
