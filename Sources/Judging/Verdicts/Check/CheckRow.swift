import Results

/// One result of a check: of a cell, or of one quantity of it.
public struct CheckRow: Sendable {
  /// By importance.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case regressed, failed, inconclusive, improved, unchanged
  }

  public let key: CellKey
  /// What is compared, such as `allocations per post`; nil where the whole report compares one quantity.
  public internal(set) var quantity: String?
  public let state: State
  /// From base to candidate, for people, such as `+4.9 % ± 1.2 %`; empty if unknown.
  public internal(set) var change = ""
  /// What it rests on, such as `16 pairs`; empty if on nothing.
  public internal(set) var evidence = ""
  /// The reason of the state, where the change does not show it.
  public internal(set) var reason: String?
  /// The same for programs.
  public internal(set) var numbers = Numbers()
  /// Its part in the check.
  public internal(set) var role = DuetRound.Role.subject
  /// Whether a row of a control or a positive control is as it must be; nil: it is a row of a subject.
  public internal(set) var isProven: Bool?

  public struct Numbers: Sendable, Encodable {
    /// In the unit of the quantity.
    public var base: Double?
    public var candidate: Double?
    /// Of the candidate to the base.
    public var ratio: Double?
    /// Ends of the ratio's interval.
    public var ratioCILow: Double?
    public var ratioCIHigh: Double?
    /// The smallest difference that can be distinguished, as a share of 1.
    public var resolution: Double?
    public var pairs: Int?
    /// A sample of each build, disturbed ones included.
    public var rounds: Int?
    public var disturbedRounds: Int?
    /// The range of several counts.
    public var lowest: Int?
    public var highest: Int?
    /// The committed range of a count that is not the same in every iteration.
    public var baseLowest: Int?
    public var baseHighest: Int?
  }

  /// For people: an injected slow-down is `found`.
  var verdict: String { isProven == true && state == .regressed ? "found" : state.rawValue }

  /// Such as `futures`, or `futures (A/A control)`.
  var subject: String { key.contender + (role.name.map { " (\($0))" } ?? "") }

  /// Such as `publish-instant-100 futures`.
  var name: String { "\(key.place) \(subject)" + (quantity.map { ", \($0)" } ?? "") }
}

extension DuetRound.Role {
  /// nil for a subject.
  public var name: String? {
    switch self {
    case .subject: nil
    case .control: "A/A control"
    case .positiveControl: "positive control"
    }
  }
}

extension CheckRow {
  /// A count beside the committed one; nil if both are unknown.
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
        reason = "it was the same in every pass, and is more in most passes here."
      } else {
        state = .unchanged
      }
    }
    self.init(
      key: cell.key, quantity: quantity.rawValue, state: state, change: change,
      evidence: cell.evidence, reason: reason, numbers: numbers)
  }

  /// The same with its quantity for people, such as `allocations per post`.
  func per(_ iteration: String) -> CheckRow {
    var row = self
    row.quantity = quantity.map { "\($0) per \(iteration)" }
    return row
  }

  /// Such as `204 -> 205, +1`, or of cheapest iterations `45 to 47 -> 49, +2`: by how much at least.
  static func change(from base: ClosedRange<Int>, to count: ClosedRange<Int>) -> String {
    if base == count { return text(count) }
    if base.overlaps(count) { return "\(text(base)) -> \(text(count))" }
    let more = count.lowerBound > base.upperBound
    let difference = more ? "+\(count.lowerBound - base.upperBound)" : "\(count.upperBound - base.lowerBound)"
    return "\(text(base)) -> \(text(count)), \(difference)"
  }

  static func text(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound
      ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}

extension CheckRow {
  /// Memory is counted in pages: a change by a smaller share of the base is none.
  private static let relevantBytes = 0.2

  /// The memory that processes of two builds held during the work; nil if either is unknown.
  ///
  /// Every process of one build must differ from every one of the other by ``relevantBytes``. Five and five unchanged ones do so by
  /// chance less than once in 126 times, even without that bound.
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
