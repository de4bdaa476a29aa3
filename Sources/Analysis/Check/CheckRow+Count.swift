import Results

extension CheckRow {
  /// What a count says against the committed one; nil if it is known neither here nor there.
  init?(_ cell: CountedCell, _ quantity: CountedQuantity, against committed: CommittedCount?) {
    let range = cell.range(of: quantity)
    guard range != nil || committed != nil else { return nil }
    var numbers = Numbers()
    if case .exact(let count) = committed { numbers.base = Double(count) }
    if let range { (numbers.lowest, numbers.highest) = (range.lowerBound, range.upperBound) }
    let exact = cell.exact(quantity)
    numbers.candidate = exact.map(Double.init)

    var state = State.ungated
    var change = range.map(Self.text) ?? ""
    var reason: String?
    switch (committed, exact) {
    case (.exact(let base), let count?):
      state = count == base ? .unchanged : count > base ? .regressed : .improved
      change = Self.change(from: base, to: count)
    case (.exact(let base), nil) where range == nil:
      state = .inconclusive
      reason = "it is \(base) in the file, and it cannot be counted here."
    case (.exact(let base), nil):
      state = .inconclusive
      reason = "it is \(base) in the file, and not the same in every pass here."
    case (.varies, _): break
    case (nil, _):
      state = .inconclusive
      reason = "the file has no such count: --update adds it."
    }
    self.init(
      cell.key, quantity: quantity.perPost, state, change: change,
      evidence: cell.evidence, reason: reason, numbers: numbers)
  }

  /// Such as `204 -> 205, +1`.
  static func change(from base: Int, to count: Int) -> String {
    base == count ? "\(count)" : "\(base) -> \(count), \(count > base ? "+" : "")\(count - base)"
  }

  static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
