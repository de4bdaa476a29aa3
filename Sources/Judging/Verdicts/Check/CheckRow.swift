import Results

/// One result of a check: the time or a count of a contender in a scenario.
public struct CheckRow: Sendable {
  /// The states of a row, most important first.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case regressed, failed, inconclusive, improved, unchanged
  }

  public let key: CellKey
  /// The quantity that is compared, such as `allocations per post`; `nil` if the whole report compares one quantity.
  public internal(set) var quantity: String?
  public let state: State
  /// The change from base to candidate as text, such as `+4.9 % ± 1.2 %`; empty if unknown.
  public internal(set) var change = ""
  /// The number of measurements behind the result, such as `16 pairs`; empty if there are none.
  public internal(set) var evidence = ""
  /// The reason of the state, if the change does not show it.
  public internal(set) var reason: String?
  /// The change as numbers, for programs.
  public internal(set) var numbers = Numbers()
  /// Whether the row is a result of the checked code or a control.
  public internal(set) var role = DuetRound.Role.subject
  /// Whether a control gave the required result; `nil` if the row is no control.
  public internal(set) var isProven: Bool?

  public struct Numbers: Sendable, Encodable {
    /// The base's value, in the unit of the quantity.
    public var base: Double?
    public var candidate: Double?
    /// The ratio of candidate to base.
    public var ratio: Double?
    /// The lower end of the ratio's interval.
    public var ratioCILow: Double?
    public var ratioCIHigh: Double?
    /// The smallest difference that can be found, as a share: 0.03 is 3 %.
    public var resolution: Double?
    public var pairs: Int?
    /// The number of rounds, each with one sample of each build. Disturbed rounds are included.
    public var rounds: Int?
    public var disturbedRounds: Int?
    /// The smallest count, if counts differ.
    public var lowest: Int?
    public var highest: Int?
    /// The lower end of the committed range, if the count is not the same in every iteration.
    public var baseLowest: Int?
    public var baseHighest: Int?
  }

  /// The state as text. An injected slow-down that was found is `found` instead of `regressed`.
  var verdict: String { isProven == true && state == .regressed ? "found" : state.rawValue }

  /// The contender with the row's role, such as `futures`, or `futures (A/A control)`.
  var subject: String { key.contender + (role.name.map { " (\($0))" } ?? "") }

  /// The scenario and the contender, such as `publish-instant-100 futures`.
  var name: String { "\(key.place) \(subject)" + (quantity.map { ", \($0)" } ?? "") }
}

extension DuetRound.Role {
  /// The name of a control; `nil` for checked code.
  public var name: String? {
    switch self {
    case .subject: nil
    case .control: "A/A control"
    case .positiveControl: "positive control"
    }
  }
}

extension CheckRow {
  /// Compares a count with the one in the committed file. Returns `nil` if both are unknown.
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
      reason = "the committed file has no such count: --update adds it."
    case (let committed?, nil):
      reason =
        range == nil
        ? "the committed count is \(committed), but this machine cannot count it."
        : "only one process counted this, but a verdict needs two."
    case (let committed?, let count?):
      let base = committed.range
      change = Self.change(from: base, to: cell.exact(quantity).map { $0...$0 } ?? count)
      if count.lowerBound > base.upperBound {
        state = .regressed
      } else if count.upperBound < base.lowerBound {
        state = .improved
      } else if committed.isExact, let most = cell.mostPasses(quantity), most > base.upperBound {
        reason = "the committed count is exact, but most passes of this check counted more."
      } else {
        state = .unchanged
      }
    }
    self.init(
      key: cell.key, quantity: quantity.rawValue, state: state, change: change,
      evidence: cell.evidence, reason: reason, numbers: numbers)
  }

  /// A copy whose quantity names the iteration, such as `allocations per post`.
  func per(_ iteration: String) -> CheckRow {
    var row = self
    row.quantity = quantity.map { "\($0) per \(iteration)" }
    return row
  }

  /// Both counts and their change, such as `204 -> 205, +1`. Ranges show the smallest possible change, such as `45 to 47 -> 49, +2`.
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

  /// Memory is allocated in pages, so a change by less than this share of the base is ignored.
  private static let relevantBytes = 0.2

  /// Memory has changed if every process of one build used more than every process of the other, by at least ``relevantBytes``. By chance,
  /// five and five processes give such a result in less than 1 of 126 checks. Returns `nil` if a build's memory is unknown.
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
