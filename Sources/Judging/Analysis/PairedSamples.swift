import Statistics

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
  init(candidate: Cell, reference: Cell) {
    let references = reference.wallNanosecondsByTurn
    // In turn order, so that equal samples give equal results whatever a dictionary's order is.
    pairs = candidate.wallNanosecondsByTurn.sorted { $0.key < $1.key }.flatMap { turn, walls in
      zip(walls, references[turn] ?? []).map { ($0, $1) }
    }
  }
}
