import Results

/// A check of counts against committed ones.
extension CheckReport {
  /// What the counts are compared with, and how they came about.
  public struct CountTerms: Sendable {
    /// The file.
    public var base: String
    /// What one iteration is called, such as `post`.
    public var iteration: String
    /// How the threads took turns, such as `real-time turns`.
    public var turns: String
    /// What is said of how they were taken, and of what the file does not have.
    public var notes: [String]
    /// Whom the file lacks altogether, as a sentence.
    public var remark: String?

    public init(
      base: String, iteration: String, turns: String, notes: [String] = [], remark: String? = nil
    ) {
      self.base = base
      self.iteration = iteration
      self.turns = turns
      self.notes = notes
      self.remark = remark
    }
  }

  /// - Parameter proof: nil if there was nobody to prove it with, because everything failed.
  public init(
    _ cells: [CountedCell], against committed: [CountRecord], _ proof: CountProof?,
    _ terms: CountTerms, diff: String? = nil
  ) {
    let known = Set(cells.map(\.key))
    let byCell = committed.byCell
    let gone = committed.map(\.cell).filter { !known.contains($0) }.map {
      CheckRow(
        key: $0, state: .inconclusive,
        reason: "this build knows no such contender or scenario: --update takes it out.")
    }
    let rows = cells.flatMap { cell -> [CheckRow] in
      if let failure = cell.failure { return [CheckRow(key: cell.key, state: .failed, reason: failure)] }
      return CountedQuantity.allCases.compactMap {
        CheckRow(cell, $0, against: byCell[cell.key]?[$0])?.per(terms.iteration)
      }
    }
    let proofs = (proof?.rows(against: committed) ?? []).map { $0.per(terms.iteration) }
    let ranges = rows.count { $0.numbers.baseLowest != nil }
    var notes = terms.notes
    if ranges > 0 {
      notes.append(
        "\(Plural.counted(ranges, "count")) \(ranges == 1 ? "is" : "are") not the same in every \(terms.iteration): what the cheapest ones cost is compared with the range in the file."
      )
    }
    if !proofs.isEmpty { notes.insert(Self.note(proofs), at: 0) }
    self.init(
      against: terms.base, measure: "counts per \(terms.iteration), \(terms.turns)",
      rows + gone + Self.telling(proofs),
      doubts: Self.doubts(proofs, isProved: cells.allSatisfy { $0.failure != nil }), remark: terms.remark,
      notes: notes, diff: diff)
  }

  /// Why the check must not be believed.
  private static func doubts(_ proofs: [CheckRow], isProved: Bool) -> [String] {
    if proofs.isEmpty { return isProved ? [] : ["no count repeats, so that nothing is proved."] }
    let failing = proofs.filter { $0.isProven == false }
    return failing.prefix(1).map {
      let others = failing.count > 1 ? " (and \(failing.count - 1) more)" : ""
      return "the proof fails: \($0.name), \($0.change)\(others)."
    }
  }

  /// Those that fail, and those of one scenario.
  private static func telling(_ proofs: [CheckRow]) -> [CheckRow] {
    proofs.filter { $0.isProven == false || $0.key.scenario == proofs.first?.key.scenario }
  }

  private static func note(_ proofs: [CheckRow]) -> String {
    func said(_ rows: [CheckRow]) -> String {
      "\(rows.count { $0.isProven == true }) of \(Plural.counted(rows.count, "count"))"
    }
    return
      "proof: the same worker counted the same in \(said(proofs.filter { $0.role == .control })), and what was injected into it was found exactly in \(said(proofs.filter { $0.role == .positiveControl }))."
  }
}
