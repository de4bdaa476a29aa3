import Results

extension CheckRow {
  /// Only a change by more than this share of what the base holds is one: pages are counted, not bytes.
  private static let relevantBytes = 0.2

  /// What processes of two builds held of memory while the work was under way; nil if either is not known.
  ///
  /// Every process of one build must differ from every one of the other, and by a fifth. If nothing has changed, of five and
  /// five that happens by chance less than once in 126 times without the fifth.
  public init?(bytesOf key: CellKey, base: [Int], candidate: [Int]) {
    guard let baseLow = base.min(), let baseHigh = base.max(), let low = candidate.min(),
      let high = candidate.max()
    else { return nil }
    func isMore(_ least: Int, than most: Int) -> Bool {
      Double(least) > Double(most) * (1 + Self.relevantBytes)
    }
    let state: State =
      isMore(low, than: baseHigh) ? .regressed : isMore(baseLow, than: high) ? .improved : .unchanged
    var numbers = Numbers()
    (numbers.baseLowest, numbers.baseHighest) = (baseLow, baseHigh)
    (numbers.lowest, numbers.highest) = (low, high)
    func text(_ low: Int, _ high: Int) -> String {
      let (low, high) = (NumberText.bytes(Double(low)), NumberText.bytes(Double(high)))
      return low == high ? low : "\(low) to \(high)"
    }
    self.init(
      key: key, quantity: "memory held", state: state,
      change: state == .unchanged ? text(low, high) : "\(text(baseLow, baseHigh)) -> \(text(low, high))",
      evidence: Plural.counted(candidate.count, "process"), numbers: numbers)
  }
}
