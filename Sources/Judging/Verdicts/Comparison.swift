import Foundation
import Results
import Statistics

/// The ratio of what one cell takes, in time or processor time, to what another takes in the same scenario.
public struct Comparison: Sendable, Equatable {
  /// How many rounds have samples of both.
  public let pairs: Int
  /// The trimmed mean of the rounds' log-ratios, as a ratio; nil without pairs.
  public let ratio: Double?
  /// Its 95 % interval, whatever the verdict; nil of fewer than ``Looks/fewestValues`` pairs.
  ///
  /// From ``AnalysisOptions/fewestProcesses`` generations on it includes how these differ: rounds of one process resemble each other.
  public let interval: ClosedRange<Double>?
  /// The p-value of a difference, adjusted for the looks taken (``Looks``) and by Holm for the whole family.
  public let adjustedPValue: Double
  /// The p-value of the two one-sided tests of equivalence, adjusted likewise.
  public let adjustedEquivalencePValue: Double
  public let verdict: Verdict
  /// Whether the ratio is proved to lie within the margin, even if it differs from 1.
  public let isWithinMargin: Bool
  /// An estimate of how many pairs would decide it, at most ``AnalysisOptions/mostRoundsToResolve``; nil: it is decided, or no
  /// estimate is possible.
  public let roundsToResolve: Int?

  /// The width of the interval without the differences between processes, as a log-ratio.
  let roundsWidth: Double

  /// Of ``interval``.
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

    // A difference that an earlier look found must show in the interval beside it.
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

  /// How far an interval would reach if each process had endless rounds: only processes would differ.
  private static func processReach(_ whole: ClosedRange<Double>?, _ rounds: ClosedRange<Double>?) -> Double {
    guard let whole, let rounds else { return 0 }
    return max(0, whole.width * whole.width - rounds.width * rounds.width).squareRoot() / 2
  }
}

extension Comparison {
  /// Decides a family of comparisons, in the order given: the chance that any verdict but *unresolved* is false, or any
  /// ``isWithinMargin``, is at most `familyWiseError`.
  ///
  /// Differences and equivalences share that chance, and Holm decides each kind. In one family a cell that is different would never
  /// leave it, since it may still be falsely called equivalent.
  /// - Parameter hasEnded: false while rounds are still taken (see ``Looks``).
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

    /// After how many pairs like these either test probably rejects; nil without any.
    ///
    /// - Parameter reach: of the interval after endless rounds. A distance below it stays undecided.
    func roundsToResolve(_ mean: TrimmedMean?, of pairs: Int, margin: Double, despite reach: Double) -> Int? {
      guard let mean else { return pairs == 0 ? nil : Looks.fewestValues }
      let power = AnalysisOptions.resolvingPower
      func needed(_ distance: Double, significance: Double, power: Double) -> Double {
        distance > reach
          ? mean.count(toReject: distance, significance: significance, power: power) : .infinity
      }
      let different = needed(
        abs(mean.mean), significance: difference.significance / 2 * Looks.shareOfEnd, power: power)
      // Both sides must reject, and each may miss in half of the allowed cases.
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

/// The samples of two cells of one scenario, matched by run, generation and round: a disturbance hits both, so their ratio repeats
/// better than either.
struct PairedSamples {
  /// In nanoseconds per post, in the order of the rounds.
  let pairs: [(candidate: Double, reference: Double)]
  /// The processes of the pairs in their order, and the number of pairs in each; empty where that does not matter.
  var processes: [(key: ProcessKey, pairs: Int)] = []

  var logRatios: [Double] { pairs.map { LogRatio.of($0.candidate, to: $0.reference) } }
  var differencesNanoseconds: [Double] { pairs.map { $0.candidate - $0.reference } }

  /// The interval of the mean difference, as ``Comparison/interval`` is that of the mean log-ratio.
  var differenceInterval: ClosedRange<Double>? {
    let differences = differencesNanoseconds
    return interval(of: differences, around: TrimmedMean(of: differences))
  }

  /// - Parameter values: one of each pair, in their order; fewer than ``Looks/fewestValues`` have no interval.
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
  /// Of the pairs' log-ratios; nil of fewer than two.
  let mean: TrimmedMean?
  /// That as a ratio; nil without pairs.
  let ratio: Double?
  /// As log-ratios; nil of fewer than ``Looks/fewestValues`` pairs.
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
  /// Several samples of one cell in a round count as their geometric mean.
  init(
    candidate: CellSamples, reference: CellSamples,
    of measure: KeyPath<CellSamples, TurnValues> = \.wallNanosecondsByTurn
  ) {
    // In turn order, as a look takes the first so many.
    let both = candidate[keyPath: measure].paired(with: reference[keyPath: measure])
    pairs = both.map { ($0.mine, $0.others) }
    for pair in both {
      if pair.turn.process != processes.last?.key { processes.append((pair.turn.process, 0)) }
      processes[processes.count - 1].pairs += 1
    }
  }
}

/// Every cell of a run beside its reference: one family of comparisons for time, one for processor time.
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
      // A cell without values must not make the family stricter.
      let asked = samples.indices.filter { !samples[$0].pairs.isEmpty }
      let comparisons = Comparison.family(asked.map { samples[$0] }, options: options, hasEnded: hasEnded)
      return zip(asked, comparisons).keyed { (compared[$0].cell.key, $1) }
    }
    time = family(\.wallNanosecondsByTurn)
    processor = family(\.processorNanosecondsByTurn)
  }
}
