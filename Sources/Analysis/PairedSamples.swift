import Results
import Statistics

/// The wall times of two cells of one scenario, matched by run, generation and round.
///
/// What disturbs a round disturbs both, so their ratio and difference repeat far better than either time.
struct PairedSamples {
  /// Times in nanoseconds per post.
  let pairs: [(candidate: Double, reference: Double)]

  init(candidate: Cell, reference: Cell) {
    let references = Dictionary(grouping: reference.counted, by: Turn.init)
    let candidates = Dictionary(grouping: candidate.counted, by: Turn.init)
    // In turn order, so that equal samples give equal results whatever a dictionary's order is.
    pairs = candidates.keys.sorted().flatMap { turn in
      zip(candidates[turn] ?? [], references[turn] ?? []).compactMap { candidate, reference in
        guard let numerator = candidate.wallNanoseconds, let denominator = reference.wallNanoseconds,
          numerator > 0, denominator > 0
        else { return nil }
        return (Double(numerator), Double(denominator))
      }
    }
  }

  var logRatios: [Double] { pairs.map { LogRatio.of($0.candidate, to: $0.reference) } }
  var differencesNanoseconds: [Double] { pairs.map { $0.candidate - $0.reference } }

  private struct Turn: Hashable, Comparable {
    let run: String
    let generation: Int
    let round: Int

    init(_ sample: Sample) {
      run = sample.run
      generation = sample.generation
      round = sample.round
    }

    static func < (left: Turn, right: Turn) -> Bool {
      (left.run, left.generation, left.round) < (right.run, right.generation, right.round)
    }
  }
}
