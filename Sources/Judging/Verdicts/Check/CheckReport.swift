import Results

/// The result of a check against a recorded run, another build or committed counts.
public struct CheckReport: Sendable {
  public enum Verdict: String, Sendable, Hashable {
    case regressed, failed, inconclusive, passed
  }

  /// What the candidate is compared with, such as `HEAD~1`.
  public let base: String
  /// The quantity that is compared, such as `processor time on processor 1`.
  public let measure: String
  /// The results of the check, most important first.
  public let rows: [CheckRow]
  /// The results of the controls: the same build twice, and one that was made slower on purpose.
  public let proofs: [CheckRow]
  /// Sentences that say why the check is not trustworthy. With at least one, the check is inconclusive.
  public let doubts: [String]
  /// A sentence about comparisons that the rows lack; `nil` if nothing is missing.
  public let remark: String?
  /// Sentences that say how to read the rows.
  public let notes: [String]
  /// The changes to a committed file, as lines that begin with - and +; `nil` if the check does not change the file.
  public let diff: String?
  /// Whether a run was compared with itself. If so, nothing is decided.
  public internal(set) var isOfRunItself = false
  /// The known idioms (concurrency APIs) of contenders, by the contender's name.
  public var idioms: [String: IdiomRecord] = [:]

  /// - Parameter rows: the rows in the order of the scenarios. The initializer sorts them by importance.
  public init(
    against base: String, measure: String, _ rows: [CheckRow], doubts: [String] = [], remark: String? = nil,
    notes: [String] = [], diff: String? = nil
  ) {
    self.base = base
    self.measure = measure
    let order = CheckRow.State.allCases
    self.rows = rows.filter { $0.isProven == nil }.enumerated().sorted {
      (order.firstIndex(of: $0.element.state)!, $0.offset) < (
        order.firstIndex(of: $1.element.state)!, $1.offset
      )
    }.map(\.element)
    proofs = rows.filter { $0.isProven != nil }
    self.doubts = doubts
    self.remark = remark
    self.notes = notes
    self.diff = diff
  }

  public func rows(_ state: CheckRow.State) -> [CheckRow] { rows.filter { $0.state == state } }

  public var verdict: Verdict {
    if isOfRunItself { return .passed }
    if (rows + proofs).contains(where: { $0.state == .failed }) { return .failed }
    // A confirmed regression fails the check, even if other rows or the controls are undecided.
    if !rows(.regressed).isEmpty { return .regressed }
    if !doubts.isEmpty || rows.isEmpty || proofs.contains(where: { $0.isProven == false }) {
      return .inconclusive
    }
    return rows(.inconclusive).isEmpty ? .passed : .inconclusive
  }

  /// Whether the report compares nothing, for example because every contender failed.
  public var saysNothing: Bool {
    !isOfRunItself
      && rows.allSatisfy { row in
        switch row.state {
        case .failed: true
        case .inconclusive:
          row.numbers.ratio == nil && row.numbers.candidate == nil && row.numbers.lowest == nil
        default: false
        }
      }
  }

  /// The smallest difference that every row could find, as a share: 0.03 is 3 %; `nil` if unknown.
  public var resolution: Double? { rows.compactMap(\.numbers.resolution).max() }

  /// The sentence at the top of the report.
  public var headline: String {
    let kinds = [("cell", rows.filter { $0.quantity == nil }), ("count", rows.filter { $0.quantity != nil })]
    let said = kinds.filter { !$0.1.isEmpty }.enumerated().map { index, kind in
      let (noun, rows) = kind
      let states = CheckRow.State.allCases.compactMap { state -> String? in
        let count = rows.count { $0.state == state }
        return count == 0 ? nil : "\(count) \(state.rawValue)"
      }
      // Only the first clause of the sentence names the base.
      let subject = Plural.counted(rows.count, noun) + (index == 0 ? " against \(base)" : "")
      return "\(subject): \(states.joined(separator: ", "))."
    }
    let counted = said.isEmpty && remark == nil ? ["Nothing to compare with \(base)."] : said
    let about = (counted + [remark].compactMap(\.self)).joined(separator: " ")
    guard verdict == .inconclusive, let doubt = doubts.first else { return about }
    return "Inconclusive: \(doubt) \(about)"
  }

  /// A share as text in per cent, such as `+3.0 %`.
  static func percent(_ share: Double, isSigned: Bool = false) -> String {
    // Adding 0 turns -0.0 into 0.
    let tenths = (share * 1_000).rounded() + 0
    return (isSigned && tenths > 0 ? "+" : "") + "\(tenths / 10) %"
  }
}

extension CheckReport {
  /// What the counts are compared with, and how they were counted.
  public struct CountTerms: FilledRecord {
    public var base = ""
    /// The noun for one measured iteration, such as `post`.
    public var iteration = ""
    /// How the threads were scheduled while counting, such as `real-time turns`.
    public var turns = ""
    /// Sentences about how the counts were taken and what the committed file lacks.
    public var notes: [String] = []
    /// A sentence about contenders that have no counts in the committed file.
    public var remark: String?

    public init() {}
  }

  /// - Parameter proof: the controls; `nil` if everything failed, so that nothing could serve as a control.
  public init(
    _ cells: [CountedCell], against committed: [CountRecord], _ proof: CountProof?,
    _ terms: CountTerms, diff: String? = nil
  ) {
    let known = Set(cells.map(\.key))
    let byCell = committed.byCell
    let gone = committed.map(\.cell).filter { !known.contains($0) }.map {
      CheckRow(
        key: $0, state: .inconclusive,
        reason: "the committed file names a contender or scenario that this build lacks: --update removes it."
      )
    }
    let rows = cells.flatMap { cell -> [CheckRow] in
      if let failure = cell.failure { return [CheckRow(key: cell.key, state: .failed, reason: failure)] }
      return CountedQuantity.allCases.compactMap {
        CheckRow(cell, $0, against: byCell[cell.key]?[$0])?.per(terms.iteration)
      }
    }
    let proofs = (proof?.rows(against: committed) ?? []).map { $0.per(terms.iteration) }
    let telling = proofs.filter { $0.isProven == false || $0.key.scenario == proofs[0].key.scenario }
    let ranges = rows.count { $0.numbers.baseLowest != nil }
    var notes = terms.notes
    if ranges > 0 {
      notes.append(
        "\(Plural.counted(ranges, "count")) \(ranges == 1 ? "is" : "are") not the same in every \(terms.iteration): the smallest counts are compared with the range in the file."
      )
    }
    if !proofs.isEmpty { notes.insert(Self.note(proofs), at: 0) }
    self.init(
      against: terms.base, measure: "counts per \(terms.iteration), \(terms.turns)",
      rows + gone + telling,
      doubts: Self.doubts(proofs, isProved: cells.allSatisfy { $0.failure != nil }), remark: terms.remark,
      notes: notes, diff: diff)
  }

  private static func doubts(_ proofs: [CheckRow], isProved: Bool) -> [String] {
    if proofs.isEmpty {
      return isProved ? [] : ["no count is the same in all passes, so no control could test the check."]
    }
    let failing = proofs.filter { $0.isProven == false }
    return failing.prefix(1).map {
      let others = failing.count > 1 ? " (and \(failing.count - 1) more)" : ""
      return "the control failed: \($0.name), \($0.change)\(others)."
    }
  }

  private static func note(_ proofs: [CheckRow]) -> String {
    func said(_ rows: [CheckRow]) -> String {
      "\(rows.count { $0.isProven == true }) of \(Plural.counted(rows.count, "count"))"
    }
    return
      "controls: the same worker counted the same in \(said(proofs.filter { $0.role == .control })), and injected work was found exactly in \(said(proofs.filter { $0.role == .positiveControl }))."
  }
}
