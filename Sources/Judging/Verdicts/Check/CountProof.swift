import Results

/// What proves a check of counts: the same worker once more, and with work injected into it.
public struct CountProof: Sendable {
  /// Counted first; whoever has the most counts that repeat.
  public let subject: [CountedCell]
  /// The same again, in other processes: nothing may differ.
  public let control: [CountedCell]
  /// The same with work on top: exactly that must be found.
  public let positiveControl: [CountedCell]
  /// By how much the counts of each scenario must be higher for what was injected.
  public let injected: [String: [CountedQuantity: Int]]

  public init(
    subject: [CountedCell], control: [CountedCell], positiveControl: [CountedCell],
    injected: [String: [CountedQuantity: Int]]
  ) {
    self.subject = subject
    self.control = control
    self.positiveControl = positiveControl
    self.injected = injected
  }

  /// Whether everything is found as it must be.
  public func holds(against committed: [CountRecord]) -> Bool {
    rows(against: committed).allSatisfy { $0.isProven == true }
  }

  /// Two rows for each count of the subject that repeats: a count that has a range in the file decides nothing.
  func rows(against committed: [CountRecord]) -> [CheckRow] {
    let committed = committed.byCell
    return subject.indices.flatMap { index in
      CountedQuantity.allCases.flatMap { quantity -> [CheckRow] in
        let key = subject[index].key
        guard let base = subject[index].exact(quantity) else { return [] }
        if case .within = committed[key]?[quantity] { return [] }
        return [
          row(control[index], .control, quantity, base, expecting: 0),
          row(
            positiveControl[index], .positiveControl, quantity, base,
            expecting: injected[key.scenario]?[quantity] ?? 0),
        ]
      }
    }
  }

  private func row(
    _ cell: CountedCell, _ role: DuetRound.Role, _ quantity: CountedQuantity, _ base: Int, expecting more: Int
  ) -> CheckRow {
    let count = cell.exact(quantity)
    let range = cell.range(of: quantity)
    let judged = CheckRow(cell, quantity, against: .exact(base))?.state ?? .inconclusive
    return CheckRow(
      key: cell.key, quantity: quantity.rawValue, state: cell.failure == nil ? judged : .failed,
      change: count.map { CheckRow.change(from: base, to: $0) } ?? range.map(CheckRow.text) ?? "",
      evidence: cell.evidence, reason: cell.failure,
      numbers: CheckRow.Numbers(
        base: Double(base), candidate: count.map(Double.init), lowest: range?.lowerBound,
        highest: range?.upperBound),
      role: role,
      isProven: cell.failure == nil && cell.agrees(with: .within(base + more...base + more), in: quantity))
  }
}
