import Foundation
import Statistics

/// What pairs of processes of one and the same build differ by.
public struct Spread: Sendable {
  public let contender: String
  private let level: SampleLevel
  /// Of one side to the other, a pair each.
  public private(set) var logRatios: [Double] = []
  /// Pairs of which no sample was undisturbed.
  public private(set) var emptyPairs = 0
  /// Samples of both sides that were taken, and those that were left out as disturbed.
  public private(set) var samples = 0
  public private(set) var disturbedSamples = 0
  private var nanoseconds: [Double] = []

  /// - Parameter level: what stands for the samples of a pair, as in the check that is asked about.
  public init(_ contender: String, _ level: SampleLevel = .lowQuarter) {
    self.contender = contender
    self.level = level
  }

  /// - Parameters:
  ///   - base: nanoseconds per post, a sample each.
  ///   - disturbed: how often a sample of each side was left out.
  ///   - nanoseconds: how long the pair took in all, its processes' starts included.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int, nanoseconds: Double) {
    self.nanoseconds.append(nanoseconds)
    samples += base.count + candidate.count + 2 * disturbed
    disturbedSamples += 2 * disturbed
    guard let base = level.of(base), base > 0, let candidate = level.of(candidate), candidate > 0
    else {
      emptyPairs += 1
      return
    }
    logRatios.append(LogRatio.of(candidate, to: base))
  }

  /// What a pair takes, its processes' starts included; nil of none.
  public var pairNanoseconds: Double? {
    nanoseconds.isEmpty ? nil : nanoseconds.reduce(0, +) / Double(nanoseconds.count)
  }

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
