import Foundation
import Results
import Statistics

/// The ratio of one contender's time, or processor time, to another's in the same scenario.
public struct Comparison: Sendable, Equatable {
  /// The number of rounds in which both contenders have samples.
  public let pairs: Int
  /// The ratio: the trimmed mean of the rounds' log-ratios, converted back. `nil` if there are no pairs.
  public let ratio: Double?
  /// The ratio's 95 % interval, independent of the verdict; `nil` for fewer than ``Looks/fewestValues`` pairs. It includes differences
  /// between processes, if there are ``AnalysisOptions/fewestProcesses`` or more, because samples of a process correlate.
  public let interval: ClosedRange<Double>?
  /// The p-value of a difference, adjusted for repeated tests during the run (``Looks``) and by Holm for the whole family.
  public let adjustedPValue: Double
  /// The p-value of the two one-sided tests of equivalence, adjusted like ``adjustedPValue``.
  public let adjustedEquivalencePValue: Double
  public let verdict: Verdict
  /// Whether the ratio is proved to lie within the margin. It may still be proved to differ from 1.
  public let isWithinMargin: Bool
  /// The estimated number of pairs for a verdict; `nil` if the comparison is decided, or if no estimate is possible.
  public let roundsToResolve: Int?

  /// The width of the interval as a log-ratio, if differences between processes are ignored.
  let roundsWidth: Double

  /// The confidence level of ``interval``.
  public static let level = 0.95

  private init(_ samples: PairedSamples, _ tests: Tests, margin: Double) {
    let estimate = RatioEstimate(samples)
    let (mean, logInterval) = (estimate.mean, estimate.logInterval)
    let roundsInterval = mean.map { $0.interval(level: Self.level) }
    roundsWidth = roundsInterval.map(\.width) ?? .infinity
    pairs = samples.pairs.count
    (ratio, interval) = (estimate.ratio, estimate.interval)
    adjustedPValue = tests.difference.adjustedPValue
    adjustedEquivalencePValue = tests.equivalence.adjustedPValue

    // An early test (``Looks``) may find a difference that the final interval does not show, so a verdict needs both.
    isWithinMargin =
      tests.equivalence.isRejected
      && (logInterval.map { -margin < $0.lowerBound && $0.upperBound < margin } ?? false)
    verdict =
      switch logInterval {
      case .some(let interval) where tests.difference.isRejected && interval.lowerBound > 0: .slower
      case .some(let interval) where tests.difference.isRejected && interval.upperBound < 0: .faster
      default: isWithinMargin ? .equivalent : .unresolved
      }
    roundsToResolve =
      verdict == .unresolved
      ? tests.roundsToResolve(
        mean, of: pairs, margin: margin, despite: Self.processReach(logInterval, roundsInterval)) : nil
  }

  /// Half the width that the interval would keep after infinitely many rounds, because of differences between processes.
  private static func processReach(_ whole: ClosedRange<Double>?, _ rounds: ClosedRange<Double>?) -> Double {
    guard let whole, let rounds else { return 0 }
    return max(0, whole.width * whole.width - rounds.width * rounds.width).squareRoot() / 2
  }
}

extension Comparison {
  /// Decides comparisons together, so that the probability of one or more false verdicts is at most `familyWiseError`.
  ///
  /// Holm's procedure decides differences and equivalences separately. In one procedure, each contender that differs would make all other
  /// tests stricter, because its equivalence is never proved.
  /// - Parameter hasEnded: `false` while the measurement goes on (see ``Looks``).
  static func family(
    _ samples: [PairedSamples], options: AnalysisOptions, hasEnded: Bool = true
  ) -> [Comparison] {
    let margin = log(1 + options.equivalenceMargin)
    func decisions(alpha: Double, _ pValue: (TrimmedMean) -> Double) -> [HolmStepDown.Decision] {
      let pValues = samples.map { Looks.pValue(of: $0.logRatios, hasEnded: hasEnded, pValue) }
      return HolmStepDown(pValues: pValues, alpha: alpha).decisions
    }
    let alpha = options.familyWiseError * AnalysisOptions.differenceShare
    let differences = decisions(alpha: alpha) { $0.twoSidedPValue() }
    let equivalences = decisions(alpha: options.familyWiseError - alpha) {
      $0.equivalencePValue(margin: margin)
    }
    return samples.indices.map {
      Comparison(
        samples[$0], Tests(difference: differences[$0], equivalence: equivalences[$0]), margin: margin)
    }
  }

  private struct Tests {
    let difference: HolmStepDown.Decision
    let equivalence: HolmStepDown.Decision

    /// The estimated number of pairs after which the test of a difference or of equivalence rejects its hypothesis; `nil` without pairs.
    ///
    /// - Parameter reach: half the interval's width after infinitely many rounds. No number of pairs decides smaller distances.
    func roundsToResolve(_ mean: TrimmedMean?, of pairs: Int, margin: Double, despite reach: Double) -> Int? {
      guard let mean else { return pairs == 0 ? nil : Looks.fewestValues }
      let power = AnalysisOptions.resolvingPower
      func needed(_ distance: Double, significance: Double, power: Double) -> Double {
        distance > reach
          ? mean.count(toReject: distance, significance: significance, power: power) : .infinity
      }
      let different = needed(
        abs(mean.mean), significance: difference.significance / 2 * Looks.shareOfEnd, power: power)
      // Equivalence needs two rejections, so each may fail with half of the allowed probability.
      let equivalent = needed(
        margin - abs(mean.mean), significance: equivalence.significance * Looks.shareOfEnd,
        power: (1 + power) / 2)
      let most = Double(AnalysisOptions.mostRoundsToResolve)
      return max(Int(min(different, equivalent, most)), mean.count + 1, Looks.fewestValues)
    }
  }
}

extension ClosedRange<Double> {
  fileprivate var width: Double { upperBound - lowerBound }
}

/// Two contenders' samples in a scenario, paired by round. A disturbance affects both, so their ratio varies less than either time.
struct PairedSamples {
  /// The times of each pair in nanoseconds per job, in the order of the rounds.
  let pairs: [(candidate: Double, reference: Double)]
  /// The processes in the order of their pairs, each with its number of pairs; empty if differences between processes are ignored.
  var processes: [(key: ProcessKey, pairs: Int)] = []

  var logRatios: [Double] { pairs.map { LogRatio.of($0.candidate, to: $0.reference) } }
  var differencesNanoseconds: [Double] { pairs.map { $0.candidate - $0.reference } }

  /// - Parameter values: one value for each pair, in the same order. Fewer than ``Looks/fewestValues`` have no interval.
  fileprivate func interval(of values: [Double], around mean: TrimmedMean?) -> ClosedRange<Double>? {
    guard values.count >= Looks.fewestValues, let mean else { return nil }
    if processes.count < AnalysisOptions.fewestProcesses { return mean.interval(level: Comparison.level) }
    var rest = values[...]
    let generations = processes.map { process in
      defer { rest = rest.dropFirst(process.pairs) }
      return Array(rest.prefix(process.pairs))
    }
    return mean.interval(level: Comparison.level, clusters: generations)
  }
}

/// A ratio of paired samples and its 95 % interval, without a verdict.
struct RatioEstimate {
  /// The trimmed mean of the pairs' log-ratios; `nil` for fewer than two pairs.
  let mean: TrimmedMean?
  /// The mean log-ratio, converted to a ratio; `nil` if there are no pairs.
  let ratio: Double?
  /// The interval of the log-ratio; `nil` for fewer than ``Looks/fewestValues`` pairs.
  let logInterval: ClosedRange<Double>?

  init(_ samples: PairedSamples) {
    let logRatios = samples.logRatios
    mean = TrimmedMean(of: logRatios)
    ratio = (mean?.mean ?? logRatios.first).map(LogRatio.ratio)
    logInterval = samples.interval(of: logRatios, around: mean)
  }

  var interval: ClosedRange<Double>? {
    logInterval.map { LogRatio.ratio($0.lowerBound)...LogRatio.ratio($0.upperBound) }
  }
}

extension PairedSamples {
  /// If a contender has several samples in a round, their geometric mean is used.
  init(
    candidate: CellSamples, reference: CellSamples,
    of measure: KeyPath<CellSamples, TurnValues> = \.wallNanosecondsByTurn
  ) {
    // The pairs are in the order of rounds, because an early test (``Looks``) uses the first pairs.
    let both = candidate[keyPath: measure].paired(with: reference[keyPath: measure])
    pairs = both.map { ($0.mine, $0.others) }
    for pair in both {
      if pair.turn.process != processes.last?.key { processes.append((pair.turn.process, 0)) }
      processes[processes.count - 1].pairs += 1
    }
  }
}

/// The comparisons of all contenders with the reference of each scenario: one family for time and one for processor time.
struct CellComparisons {
  let time: [CellKey: Comparison]
  let processor: [CellKey: Comparison]

  init(_ cells: [CellKey: CellSamples], options: AnalysisOptions, hasEnded: Bool = true) {
    let compared = cells.values.compactMap { cell -> (cell: CellSamples, reference: CellSamples)? in
      guard cell.key != options.reference(of: cell.key), cell.isRankable,
        let reference = cells[options.reference(of: cell.key)],
        reference.isRankable
      else { return nil }
      return (cell, reference)
    }
    func family(_ measure: KeyPath<CellSamples, TurnValues>) -> [CellKey: Comparison] {
      let samples = compared.map { PairedSamples(candidate: $0, reference: $1, of: measure) }
      // A comparison without values is left out, because each test makes the others of its family stricter.
      let asked = samples.indices.filter { !samples[$0].pairs.isEmpty }
      let comparisons = Comparison.family(asked.map { samples[$0] }, options: options, hasEnded: hasEnded)
      return zip(asked, comparisons).keyed { (compared[$0].cell.key, $1) }
    }
    time = family(\.wallNanosecondsByTurn)
    processor = family(\.processorNanosecondsByTurn)
  }
}
