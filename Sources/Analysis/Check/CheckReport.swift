/// What a check of two builds says.
public struct CheckReport: Sendable {
  public enum Verdict: String, Sendable, Hashable {
    case regressed
    case failed
    case inconclusive
    case passed
  }

  /// How both builds were measured, and which they are.
  public struct Terms: Sendable, Hashable {
    public var base: String
    public var candidate: String
    /// What is compared, such as `processor time`.
    public var measure: String
    /// The smallest slow-down that must be found, as a share of 1.
    public var margin: Double
    public var seconds: Double

    public init(base: String, candidate: String, measure: String, margin: Double, seconds: Double) {
      self.base = base
      self.candidate = candidate
      self.measure = measure
      self.margin = margin
      self.seconds = seconds
    }
  }

  public let terms: Terms
  /// What the check is about, what matters most first.
  public let cells: [CheckedCell]
  /// The twins by which it proves itself.
  public let proofs: [CheckedCell]

  public init(_ cells: [CheckedCell], _ terms: Terms) {
    self.terms = terms
    let order = CheckedCell.State.allCases
    self.cells = cells.filter { $0.role == .subject }.enumerated().sorted {
      (order.firstIndex(of: $0.element.state)!, $0.offset) < (
        order.firstIndex(of: $1.element.state)!, $1.offset
      )
    }.map(\.element)
    proofs = cells.filter { $0.role != .subject }
  }

  public func cells(_ state: CheckedCell.State) -> [CheckedCell] { cells.filter { $0.state == state } }

  /// Whether the machine found what was there and nothing else, in this very check.
  public var isProven: Bool { proofs.allSatisfy(\.isProven) }

  public var verdict: Verdict {
    if !cells(.failed).isEmpty || proofs.contains(where: { $0.state == .failed }) { return .failed }
    if !isProven { return .inconclusive }
    if !cells(.regressed).isEmpty { return .regressed }
    return cells(.inconclusive).isEmpty ? .passed : .inconclusive
  }

  /// The smallest difference that all cells of the run could resolve, as a share of 1; nil without pairs.
  public var resolution: Double? { cells.compactMap(\.last.resolution).max() }

  /// The sentence at the top; it follows from the rows.
  public var headline: String {
    let counts = CheckedCell.State.allCases.compactMap { state -> String? in
      let count = cells(state).count
      return count == 0 ? nil : "\(count) \(state.rawValue)"
    }
    let about =
      "\(Headline.counted(cells.count, "cell")) against \(terms.base): \(counts.joined(separator: ", "))."
    guard let reason = doubt else { return about }
    return "Inconclusive: \(reason) \(about)"
  }

  /// Why the check must not be believed.
  private var doubt: String? {
    guard verdict != .failed, let proof = proofs.first(where: { !$0.isProven }) else { return nil }
    let said = proof.state == .inconclusive ? "is not decided" : "is called \(proof.state.rawValue)"
    return proof.role == .twin
      ? "\(proof.key.contender), the same build on both sides, \(said)."
      : "\(proof.key.contender), made slower by \(Self.percent(terms.margin)), \(said)."
  }

  /// Such as `+3.0 %`.
  static func percent(_ share: Double, isSigned: Bool = false) -> String {
    let tenths = (share * 1_000).rounded()
    return (isSigned && tenths > 0 ? "+" : "") + "\(tenths / 10) %"
  }
}
