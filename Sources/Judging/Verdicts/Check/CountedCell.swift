import Results

extension CountRecord {
  public var cell: CellKey { CellKey(contender: contender, scenario: scenario) }
}

extension [CountRecord] {
  /// The rows of one section by cell; each is there once.
  public var byCell: [CellKey: CountRecord] { keyed { ($0.cell, $0) } }
}

/// The counts of one cell, pass by pass.
public struct CountedCell: Sendable {
  public let key: CellKey
  /// Each of the same work; a quantity that cannot be counted is missing.
  public private(set) var passes: [[CountedQuantity: Int]] = []
  public private(set) var processes = 0
  /// For each process the fewest in any of its passes.
  private var fewest: [[CountedQuantity: Int]] = []
  /// How many passes a report says there were; nil: all.
  var passCount: Int?
  /// Why the cell could not be counted.
  public private(set) var failure: String?

  public init(_ key: CellKey) { self.key = key }

  /// Adds the passes of one more process.
  public mutating func add(_ passes: [[CountedQuantity: Int]]) {
    self.passes += passes
    processes += 1
    fewest.append(
      passes.reduce(passes.first ?? [:]) { least, pass in least.merging(pass, uniquingKeysWith: min) })
  }

  /// Adds what other processes counted.
  public mutating func add(_ other: CountedCell) {
    passes += other.passes
    processes += other.processes
    fewest += other.fewest
    failure = failure ?? other.failure
  }

  public mutating func fail(_ reason: String) { failure = failure ?? SafeText.excerpt(reason, 1_000) }

  /// From the fewest to the most of any pass; nil if a pass did not count it.
  public func range(of quantity: CountedQuantity) -> ClosedRange<Int>? {
    let counts = passes.compactMap { $0[quantity] }
    guard counts.count == passes.count, let fewest = counts.min(), let most = counts.max() else { return nil }
    return fewest...most
  }

  /// A count that repeats: the same in every pass of two processes or more; nil if it does not.
  public func exact(_ quantity: CountedQuantity) -> Int? {
    guard processes > 1, let range = range(of: quantity), range.lowerBound == range.upperBound else {
      return nil
    }
    return range.lowerBound
  }

  /// The range over processes of the counts of their cheapest iterations; nil if fewer than two processes counted it.
  ///
  /// A schedule only adds work, so cheapest iterations repeat where single ones do not.
  public func cheapest(_ quantity: CountedQuantity) -> ClosedRange<Int>? {
    let counts = fewest.compactMap { $0[quantity] }
    guard processes > 1, range(of: quantity) != nil, let low = counts.min(), let high = counts.max() else {
      return nil
    }
    return low...high
  }

  /// What more than half of the passes counted at least; nil as for ``range(of:)``.
  func mostPasses(_ quantity: CountedQuantity) -> Int? {
    range(of: quantity).map { _ in passes.compactMap { $0[quantity] }.sorted()[(passes.count - 1) / 2] }
  }

  /// The entry for a file; nil if it was not counted.
  ///
  /// - Parameter old: the entry now. A range stays one, and is extended if the two overlap.
  public func commitment(to quantity: CountedQuantity, joining old: CommittedCount? = nil) -> CommittedCount?
  {
    guard let cheapest = cheapest(quantity) else { return nil }
    if case .within(let range) = old {
      guard range.overlaps(cheapest) else { return .within(cheapest) }
      return .within(min(range.lowerBound, cheapest.lowerBound)...max(range.upperBound, cheapest.upperBound))
    }
    return exact(quantity).map(CommittedCount.exact) ?? .within(cheapest)
  }

  /// Whether it agrees with a file's entry: the same in every pass, or a cheapest iteration within the range.
  public func agrees(with committed: CommittedCount, in quantity: CountedQuantity) -> Bool {
    switch committed {
    case .exact(let count): exact(quantity) == count
    case .within(let range): cheapest(quantity).map(range.overlaps) ?? false
    }
  }

  var evidence: String { Plural.counted(passCount ?? passes.count, "pass") }
}

/// The proof of a check of counts: the same worker once more, and with injected work.
public struct CountProof: Sendable {
  /// Counted first: the contender with the most counts that repeat.
  public let subject: [CountedCell]
  /// The same in other processes: nothing may differ.
  public let control: [CountedCell]
  /// The same with injected work, which must be found exactly.
  public let positiveControl: [CountedCell]
  /// How much the injected work adds to each count, by scenario.
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

  /// Whether the control and the injected work are found as they must be.
  public func holds(against committed: [CountRecord]) -> Bool {
    rows(against: committed).allSatisfy { $0.isProven == true }
  }

  /// Two rows for each count of the subject that repeats and has no range in the file.
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
      change: count.map { CheckRow.change(from: base...base, to: $0...$0) } ?? range.map(CheckRow.text) ?? "",
      evidence: cell.evidence, reason: cell.failure,
      numbers: CheckRow.Numbers(
        base: Double(base), candidate: count.map(Double.init), lowest: range?.lowerBound,
        highest: range?.upperBound),
      role: role,
      isProven: cell.failure == nil && cell.agrees(with: .within(base + more...base + more), in: quantity))
  }
}
