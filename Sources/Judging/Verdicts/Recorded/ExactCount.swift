import Results
import Statistics

/// A count that was the same in every counting pass of a run: such a one says something at once, on any machine.
struct ExactCount {
  /// Two equal counts of single posts are no proof: in 6 714 comparisons of runs of one build, 60 differed.
  static let fewestPosts = 20

  let perPost: Int
  let passes: Int

  /// Whether a cell was counted often enough to say anything.
  private static func suffices(_ passes: [(total: Int, posts: Int)]) -> Bool {
    passes.count >= 2 && passes.reduce(0.0) { $0 + Double($1.posts) } >= Double(fewestPosts)
  }

  /// nil: not counted, not the same in every pass, no whole number a post, or in too few passes or posts.
  init?(_ quantity: CountedQuantity, of cell: CellSamples) {
    let passes = Self.passes(quantity, of: cell)
    guard Self.suffices(passes), let first = passes.first, first.total.isMultiple(of: first.posts) else {
      return nil
    }
    perPost = first.total / first.posts
    let perPost = perPost
    guard passes.allSatisfy({ $0.total.isMultiple(of: $0.posts) && $0.total / $0.posts == perPost }) else {
      return nil
    }
    self.passes = passes.count
  }

  /// Of each pass, once, however many samples tell of it.
  private static func passes(_ quantity: CountedQuantity, of cell: CellSamples) -> [(total: Int, posts: Int)]
  {
    var passes: [String: (total: Int, posts: Int)] = [:]
    for sample in cell.all where sample.outcome == .measured {
      guard let total = quantity.count(of: sample) else { continue }
      passes[RoundKey(sample).process] = (total, sample.iterations)
    }
    return Array(passes.values)
  }

  /// What became of it where it is no longer exact; nil: nothing that would matter.
  func lost(_ quantity: CountedQuantity, of cell: CellSamples) -> (
    state: CheckRow.State, counts: ClosedRange<Int>, median: Double
  )? {
    let passes = Self.passes(quantity, of: cell)
    let counts = passes.map { Double($0.total) / Double($0.posts) }
    guard Self.suffices(passes), let least = counts.min(), let most = counts.max(),
      let median = Quantiles.median(of: counts), median >= Double(perPost) + 0.5
    else { return nil }
    return (
      least >= Double(perPost + 1) ? .regressed : .inconclusive,
      Int(least.rounded(.down))...Int(most.rounded(.up)), median
    )
  }
}

extension CountedQuantity {
  func medianPerPost(of cell: CellSamples) -> Double? {
    Quantiles.median(of: cell.counted.compactMap { $0.perPost(count(of: $0)) })
  }
}

extension CheckRow {
  /// nil: the candidate's differs from the base's by nothing that would matter.
  init?(_ key: CellKey, _ quantity: CountedQuantity, base: ExactCount, inexactly cell: CellSamples) {
    guard let (state, counts, median) = base.lost(quantity, of: cell) else { return nil }
    self.init(
      key: key, quantity: quantity.rawValue, state: state,
      change: Self.change(from: base.perPost...base.perPost, to: counts),
      evidence: "\(base.passes) passes of the base",
      reason: state == .regressed ? nil : "it was the same in every pass of the base, and is not here.",
      numbers: Numbers(
        base: Double(base.perPost), candidate: median, lowest: counts.lowerBound, highest: counts.upperBound))
  }

  init(_ key: CellKey, _ quantity: CountedQuantity, base: ExactCount, candidate: ExactCount) {
    let difference = candidate.perPost - base.perPost
    self.init(
      key: key, quantity: quantity.rawValue,
      state: difference > 0 ? .regressed : difference < 0 ? .improved : .unchanged,
      change: Self.change(from: base.perPost, to: candidate.perPost),
      evidence: "\(base.passes) + \(candidate.passes) passes",
      numbers: Numbers(
        base: Double(base.perPost), candidate: Double(candidate.perPost),
        ratio: base.perPost > 0 ? Double(candidate.perPost) / Double(base.perPost) : nil))
  }
}
