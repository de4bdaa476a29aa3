import Foundation
import Results
import Statistics

/// How one cell's time relates to another's in the same scenario.
public struct Comparison: Sendable, Equatable {
  /// How many pairs of samples it rests on.
  public let pairs: Int
  /// Median of the pairs' ratios; nil without pairs.
  public let ratio: Double?
  /// Ends of the ratio's interval; nil where the pairs are too few for its level, or too disturbed.
  ///
  /// It leaves out 1 exactly if the verdict is *faster* or *slower*. Otherwise it lies within the margin exactly if the
  /// verdict is *equivalent*.
  public private(set) var ratioLow: Double?
  public private(set) var ratioHigh: Double?
  /// The level of that interval; nil where nothing was tested.
  public private(set) var level: Double?
  /// Median of the pairs' differences, in nanoseconds per post.
  public let differenceNanoseconds: Double?
  /// The sign test's p-value, adjusted by Holm for the whole family; nil where nothing was tested.
  public private(set) var adjustedPValue: Double?
  /// That of the two one-sided tests of equivalence, adjusted for theirs.
  public private(set) var adjustedEquivalencePValue: Double?
  public let verdict: Verdict
  /// Whether the ratio is proved to lie within the margin, be it different from 1 or not; nil where nothing was tested.
  public private(set) var isWithinMargin: Bool?
  /// How many pairs would probably resolve what is unresolved, those at hand included; at most
  /// ``AnalysisOptions/mostRoundsToResolve``, which stands for that many or more. An estimate, nil where none is needed or none can be
  /// made.
  public private(set) var roundsToResolve: Int?

  /// What is known of a pair in a scenario that was too disturbed to decide anything.
  init(undecided samples: PairedSamples) {
    pairs = samples.pairs.count
    ratio = Quantiles.median(of: samples.logRatios).map(LogRatio.ratio)
    differenceNanoseconds = Quantiles.median(of: samples.differencesNanoseconds)
    verdict = .unresolved
  }

  init(_ samples: PairedSamples, _ tests: Tests, margin: Double) {
    let logRatios = samples.logRatios
    pairs = logRatios.count
    ratio = Quantiles.median(of: logRatios).map(LogRatio.ratio)
    differenceNanoseconds = Quantiles.median(of: samples.differencesNanoseconds)
    adjustedPValue = tests.difference.adjustedPValue
    adjustedEquivalencePValue = tests.equivalence.adjustedPValue

    let differing = MedianInterval(of: logRatios, level: tests.differenceLevel)
    // At the stricter of both levels, so that one interval says both: not distinguishable, and whether within the margin.
    let common = MedianInterval(of: logRatios, level: tests.commonLevel)
    isWithinMargin = common.map { -margin < $0.low && $0.high < margin } ?? false
    verdict =
      switch differing {
      case .some(let interval) where interval.low > 0: .slower
      case .some(let interval) where interval.high < 0: .faster
      default: isWithinMargin == true ? .equivalent : .unresolved
      }
    let isDifferent = verdict == .slower || verdict == .faster
    let interval = isDifferent ? differing : common
    ratioLow = interval.map { LogRatio.ratio($0.low) }
    ratioHigh = interval.map { LogRatio.ratio($0.high) }
    level = isDifferent ? tests.differenceLevel : tests.commonLevel
    roundsToResolve =
      verdict == .unresolved ? tests.roundsToResolve(logRatios, margin: margin) : nil
  }
}

extension Comparison {
  /// Decides a whole family of comparisons, in the order given: the chance that any verdict but *unresolved* is false, or
  /// any ``isWithinMargin``, stays at most `familyWiseError`.
  ///
  /// Differences and equivalences share that chance and are decided by Holm each on their own. In one family Holm would
  /// gain nothing: a cell that is different may still be falsely called equivalent and so never leaves it.
  static func family(_ samples: [PairedSamples], options: AnalysisOptions) -> [Comparison] {
    let margin = log(1 + options.equivalenceMargin)
    let logRatios = samples.map(\.logRatios)
    let alpha = options.familyWiseError * AnalysisOptions.differenceShare
    let differences = HolmStepDown(pValues: logRatios.map { SignTest($0).pValue }, alpha: alpha).decisions
    let equivalences = HolmStepDown(
      pValues: logRatios.map { EquivalenceTest($0, margin: margin).pValue },
      alpha: options.familyWiseError - alpha
    ).decisions
    return samples.indices.map {
      Comparison(
        samples[$0], Tests(difference: differences[$0], equivalence: equivalences[$0]), margin: margin)
    }
  }

  /// What Holm decided of one comparison.
  struct Tests {
    let difference: HolmStepDown.Decision
    let equivalence: HolmStepDown.Decision

    var differenceLevel: Double { 1 - difference.significance }

    /// Of an interval that agrees with both tests. An equivalence is one-sided both ways, hence the factor.
    var commonLevel: Double { max(differenceLevel, 1 - 2 * equivalence.significance) }

    /// The pairs after which either test probably rejects, if further ones fall like these; nil without pairs.
    func roundsToResolve(_ logRatios: [Double], margin: Double) -> Int? {
      guard !logRatios.isEmpty else { return nil }
      func share(_ isContrary: (Double) -> Bool) -> Double {
        Double(logRatios.count(where: isContrary)) / Double(logRatios.count)
      }
      let power = AnalysisOptions.resolvingPower
      let different = SignTestSize.values(
        contraryShare: min(share { $0 <= 0 }, share { $0 >= 0 }), significance: difference.significance / 2,
        power: power)
      // Both sides must reject: if each misses in half of the cases that may be missed, both do often enough.
      let equivalent = SignTestSize.values(
        contraryShare: max(share { $0 <= -margin }, share { $0 >= margin }),
        significance: (1 - commonLevel) / 2, power: (1 + power) / 2)
      let most = AnalysisOptions.mostRoundsToResolve
      let fewest = [different, equivalent].compactMap(\.self).min() ?? .infinity
      return fewest < Double(most) ? max(Int(fewest), logRatios.count + 1) : most
    }
  }
}

/// The wall times of two cells of one scenario, matched by run, generation and round.
///
/// What disturbs a round disturbs both, so their ratio and difference repeat far better than either time.
struct PairedSamples {
  /// Times in nanoseconds per post.
  let pairs: [(candidate: Double, reference: Double)]

  var logRatios: [Double] { pairs.map { LogRatio.of($0.candidate, to: $0.reference) } }
  var differencesNanoseconds: [Double] { pairs.map { $0.candidate - $0.reference } }
}

extension PairedSamples {
  init(candidate: CellSamples, reference: CellSamples) {
    let references = reference.wallNanosecondsByTurn
    // In turn order, so that equal samples give equal results whatever a dictionary's order is.
    pairs = candidate.wallNanosecondsByTurn.ordered(by: \.key.sortKey).flatMap { turn, walls in
      zip(walls, references[turn] ?? []).map { ($0, $1) }
    }
  }
}
