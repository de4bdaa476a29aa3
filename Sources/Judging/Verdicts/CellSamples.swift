import Results

/// The samples of one cell, sorted by what they are good for.
final class CellSamples: Sendable {
  let key: CellKey
  /// In the order they were taken; never empty.
  let all: [Sample]
  /// The worst outcome of any sample, dropped ones included: a wrong answer is wrong in a warm-up too.
  let outcome: Outcome
  /// Measured and not dropped: what every number is made of.
  let counted: [Sample]
  /// The wall times of those, in nanoseconds per post, by turn; mostly one each.
  let wallNanosecondsByTurn: [RoundKey: [Double]]
  /// Their processor times likewise.
  let processorNanosecondsByTurn: [RoundKey: [Double]]

  init(key: CellKey, samples: [Sample]) {
    self.key = key
    all = samples
    outcome = .worst(samples.map(\.outcome))
    counted = samples.filter { $0.outcome == .measured && $0.dropped == nil }
    wallNanosecondsByTurn = Self.byTurn(counted, \.wall)
    processorNanosecondsByTurn = Self.byTurn(counted, \.cpuNanoseconds)
  }

  /// What is not above 0 has no ratio.
  private static func byTurn(_ samples: [Sample], _ measure: KeyPath<Sample, Double?>) -> [RoundKey: [Double]]
  {
    samples.reduce(into: [:]) { turns, sample in
      guard let value = sample[keyPath: measure], value > 0 else { return }
      turns[RoundKey(sample), default: []].append(value)
    }
  }

  /// Whether it may be compared and ranked.
  var isRankable: Bool { outcome == .measured && !counted.isEmpty && !isExternalBaseline }

  var isExternalBaseline: Bool { ExternalBaseline.contains(key.contender) }

  /// Uploads of a post, or 1 for the empty post, which is a cost of its own.
  var uploadsPerPost: Double { Double(max(all[0].fanOut, 1)) }

  var wallNanoseconds: [Double] { counted.compactMap(\.wallNanoseconds).map(Double.init) }
}
