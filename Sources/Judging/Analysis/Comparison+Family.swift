import Foundation
import Results
import Statistics

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
