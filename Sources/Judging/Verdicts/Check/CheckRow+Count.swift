import Results

extension CheckRow {
  /// What a count says against the committed one; nil if it is known neither here nor there.
  init?(_ cell: CountedCell, _ quantity: CountedQuantity, against committed: CommittedCount?) {
    let range = cell.range(of: quantity)
    guard range != nil || committed != nil else { return nil }
    var numbers = Numbers()
    switch committed {
    case .exact(let count): numbers.base = Double(count)
    case .within(let range): (numbers.baseLowest, numbers.baseHighest) = (range.lowerBound, range.upperBound)
    case nil: break
    }
    if let range { (numbers.lowest, numbers.highest) = (range.lowerBound, range.upperBound) }
    numbers.candidate = cell.exact(quantity).map(Double.init)

    var state = State.inconclusive
    var change = range.map(Self.text) ?? ""
    var reason: String?
    switch (committed, cell.cheapest(quantity)) {
    case (nil, _):
      reason = "the file has no such count: --update adds it."
    case (let committed?, nil):
      reason =
        range == nil
        ? "it is \(committed) in the file, and it cannot be counted here."
        : "one process proves nothing."
    case (let committed?, let count?):
      let base = committed.range
      change = Self.change(from: base, to: cell.exact(quantity).map { $0...$0 } ?? count)
      if count.lowerBound > base.upperBound {
        state = .regressed
      } else if count.upperBound < base.lowerBound {
        state = .improved
      } else if committed.isExact, let most = cell.mostPasses(quantity), most > base.upperBound {
        reason = "it is the same in every pass in the file, and more in most passes here."
      } else {
        state = .unchanged
      }
    }
    self.init(
      key: cell.key, quantity: quantity.rawValue, state: state, change: change,
      evidence: cell.evidence, reason: reason, numbers: numbers)
  }

  /// With its quantity named for people, such as `allocations per post`.
  func per(_ iteration: String) -> CheckRow {
    var row = self
    row.quantity = quantity.map { "\($0) per \(iteration)" }
    return row
  }

  /// Such as `204 -> 205, +1`.
  static func change(from base: Int, to count: Int) -> String {
    base == count ? "\(count)" : "\(base) -> \(count), \(count > base ? "+" : "")\(count - base)"
  }

  /// The same of cheapest iterations, such as `45 to 47 -> 49, +2`: by how much at least.
  static func change(from base: ClosedRange<Int>, to count: ClosedRange<Int>) -> String {
    if base == count { return text(count) }
    if base.overlaps(count) { return "\(text(base)) -> \(text(count))" }
    let more = count.lowerBound > base.upperBound
    let difference =
      more ? "+\(count.lowerBound - base.upperBound)" : "\(count.upperBound - base.lowerBound)"
    return "\(text(base)) -> \(text(count)), \(difference)"
  }

  static func text(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound
      ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
