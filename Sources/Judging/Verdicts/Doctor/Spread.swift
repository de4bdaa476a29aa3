import Foundation
import Statistics

/// What pairs of processes of one and the same build differ by.
public struct Spread: Sendable {
  public let contender: String
  public private(set) var pairs: PairRatios
  private var nanoseconds: [Double] = []

  /// - Parameter level: what stands for the samples of a pair, as in the check that is asked about.
  public init(_ contender: String, _ level: SampleLevel = .lowQuarter) {
    self.contender = contender
    pairs = PairRatios(level: level)
  }

  /// - Parameters:
  ///   - base: nanoseconds per post, a sample each.
  ///   - disturbed: how often a sample of each side was left out.
  ///   - nanoseconds: how long the pair took in all, its processes' starts included.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int, nanoseconds: Double) {
    self.nanoseconds.append(nanoseconds)
    pairs.add(base: base, candidate: candidate, disturbed: disturbed)
  }

  /// Of one side to the other, a pair each.
  public var logRatios: [Double] { pairs.logRatios }

  /// What a pair takes, its processes' starts included; nil of none.
  public var pairNanoseconds: Double? { Moments.mean(of: nanoseconds) }

  /// The standard deviation of a pair as the test of a check sees it, with outliers pulled in; nil of fewer than two.
  public var deviation: Double? {
    residuals.map { ($0.reduce(0) { $0 + $1 * $1 } / Double($0.count)).squareRoot() }
  }

  /// How pairs differ by nothing but chance: around zero, and stretched by what the mean of so few has taken from them;
  /// nil of fewer than two pairs.
  var residuals: [Double]? {
    guard logRatios.count > 1 else { return nil }
    let values = SequentialTest.clipped(logRatios)
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    return values.map { ($0 - mean) * (count / (count - 1)).squareRoot() }
  }
}

/// What slow-downs a check finds on this machine, and in what time.
public struct Resolution: Sendable, Equatable {
  /// The seconds in which a check of the usual margin is decided, confirmations included; nil: it never is.
  public let usualSeconds: Double?
  /// The smallest margin that is found within the budget of a check, as a share of 1; nil: none is.
  public let smallestWithinBudget: Double?
  /// The same within other budgets.
  public let smallest: [TimedMargin]

  public struct TimedMargin: Sendable, Equatable, Encodable {
    public let seconds: Double
    public let margin: Double?
  }

  /// What a check is told.
  public struct Terms: Sendable {
    /// How many cells it is about.
    public var cells: Int
    /// The slow-down that it must find unless it is told otherwise, as a share of 1.
    public var usualMargin: Double
    /// Seconds that it may take unless it is told otherwise.
    public var budgetSeconds: Double
    /// The test of each margin, the smallest first.
    public var tests: [(margin: Double, test: SequentialTest)]

    /// A check decides nothing on fewer.
    public var fewestPairs: Int { tests.map(\.test.rule.fewestPairs).max() ?? 2 }

    public init(
      cells: Int, usualMargin: Double, budgetSeconds: Double,
      tests: [(margin: Double, test: SequentialTest)]
    ) {
      precondition(
        tests.contains { $0.margin == usualMargin }, "the usual margin is one of those to be tried")
      self.cells = cells
      self.usualMargin = usualMargin
      self.budgetSeconds = budgetSeconds
      self.tests = tests
    }
  }
}

extension Resolution {
  /// By simulated checks, as many for each margin; nil if a spread rests on fewer pairs than a check decides on.
  ///
  /// - Parameter spreads: measured on this machine; the cells of the check take these in turn.
  public init?(
    of spreads: [Spread], _ terms: Terms, times: [Double], checks: Int = 200,
    using generator: inout some RandomNumberGenerator
  ) {
    guard !spreads.isEmpty, spreads.allSatisfy({ $0.logRatios.count >= terms.fewestPairs }) else {
      return nil
    }
    let simulation = CheckSimulation(spreads: spreads, cells: terms.cells, checks: checks)
    var known: [Int: Double] = [:]
    func need(_ index: Int) -> Double {
      if let need = known[index] { return need }
      let (margin, test) = terms.tests[index]
      let need = simulation.budgetSeconds(toFind: margin, with: test, using: &generator)
      known[index] = need
      return need
    }
    // A larger margin is found no later than a smaller one, so the smallest is found by halving.
    func smallest(within limit: Double) -> Double? {
      var range = 0..<terms.tests.count
      while !range.isEmpty {
        let middle = (range.lowerBound + range.upperBound) / 2
        range =
          need(middle) <= limit ? range.lowerBound..<middle : middle + 1..<range.upperBound
      }
      return range.lowerBound < terms.tests.count ? terms.tests[range.lowerBound].margin : nil
    }
    self.smallest = times.map { TimedMargin(seconds: $0, margin: smallest(within: $0)) }
    smallestWithinBudget = smallest(within: terms.budgetSeconds)
    let usual = need(terms.tests.firstIndex { $0.margin == terms.usualMargin }!)
    usualSeconds = usual.isFinite ? usual : nil
  }
}
