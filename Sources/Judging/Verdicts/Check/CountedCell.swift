import Results

extension CountRecord {
  public var cell: CellKey { CellKey(contender: contender, scenario: scenario) }
}

extension [CountRecord] {
  /// The rows by contender and scenario, each of which has at most one row.
  public var byCell: [CellKey: CountRecord] { keyed { ($0.cell, $0) } }
}

/// Counts of a contender's work in a scenario. Worker processes count the same work several times; each of these is a pass.
public struct CountedCell: Sendable {
  public let key: CellKey
  /// The counts of each pass; all passes do the same work. A quantity that cannot be counted is missing.
  public private(set) var passes: [[CountedQuantity: Int]] = []
  public private(set) var processes = 0
  /// For each process, the smallest count of any of its passes.
  private var fewest: [[CountedQuantity: Int]] = []
  /// The number of passes that reports show; `nil` means the number of ``passes``.
  var passCount: Int?
  /// Why nothing could be counted.
  public private(set) var failure: String?

  public init(_ key: CellKey) { self.key = key }

  /// Adds the passes of another process.
  public mutating func add(_ passes: [[CountedQuantity: Int]]) {
    self.passes += passes
    processes += 1
    fewest.append(
      passes.reduce(passes.first ?? [:]) { least, pass in least.merging(pass, uniquingKeysWith: min) })
  }

  /// Adds the passes of `other`, which other processes counted.
  public mutating func add(_ other: CountedCell) {
    passes += other.passes
    processes += other.processes
    fewest += other.fewest
    failure = failure ?? other.failure
  }

  public mutating func fail(_ reason: String) { failure = failure ?? SafeText.excerpt(reason, 1_000) }

  /// The range of the count over all passes; `nil` if a pass did not count the quantity.
  public func range(of quantity: CountedQuantity) -> ClosedRange<Int>? {
    let counts = passes.compactMap { $0[quantity] }
    guard counts.count == passes.count, let fewest = counts.min(), let most = counts.max() else { return nil }
    return fewest...most
  }

  /// The count, if it is the same in every pass of at least two processes; otherwise `nil`.
  public func exact(_ quantity: CountedQuantity) -> Int? {
    guard processes > 1, let range = range(of: quantity), range.lowerBound == range.upperBound else {
      return nil
    }
    return range.lowerBound
  }

  /// The range of the processes' smallest counts; `nil` for fewer than two processes. Scheduling only adds work, so smallest counts repeat.
  public func cheapest(_ quantity: CountedQuantity) -> ClosedRange<Int>? {
    let counts = fewest.compactMap { $0[quantity] }
    guard processes > 1, range(of: quantity) != nil, let low = counts.min(), let high = counts.max() else {
      return nil
    }
    return low...high
  }

  /// The median count of all passes, rounded down; `nil` if ``range(of:)`` is `nil`. At least half of the passes counted as much or more.
  func mostPasses(_ quantity: CountedQuantity) -> Int? {
    range(of: quantity).map { _ in passes.compactMap { $0[quantity] }.sorted()[(passes.count - 1) / 2] }
  }

  /// The entry to write into the committed file of counts; `nil` if the quantity was not counted.
  ///
  /// - Parameter old: the present entry. A range remains a range, and is widened if it overlaps the new counts.
  public func commitment(to quantity: CountedQuantity, joining old: CommittedCount? = nil) -> CommittedCount?
  {
    guard let cheapest = cheapest(quantity) else { return nil }
    if case .within(let range) = old {
      guard range.overlaps(cheapest) else { return .within(cheapest) }
      return .within(min(range.lowerBound, cheapest.lowerBound)...max(range.upperBound, cheapest.upperBound))
    }
    return exact(quantity).map(CommittedCount.exact) ?? .within(cheapest)
  }

  /// Whether the counts agree with a file's entry: equal in every pass, or a process's smallest count lies within the range.
  public func agrees(with committed: CommittedCount, in quantity: CountedQuantity) -> Bool {
    switch committed {
    case .exact(let count): exact(quantity) == count
    case .within(let range): cheapest(quantity).map(range.overlaps) ?? false
    }
  }

  var evidence: String { Plural.counted(passCount ?? passes.count, "pass") }
}

/// The controls of a check of counts: the same work counted again, without and with injected work.
public struct CountProof: Sendable {
  /// The counts of the contender with the most exact counts, one element for each scenario. Both controls repeat them.
  public let subject: [CountedCell]
  /// The counts of the same work in other processes, which must be equal.
  public let control: [CountedCell]
  /// The counts with injected work, which must be found exactly.
  public let positiveControl: [CountedCell]
  /// How much the injected work must raise each count, by scenario.
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

  /// Whether both controls passed for every count.
  public func holds(against committed: [CountRecord]) -> Bool {
    rows(against: committed).allSatisfy { $0.isProven == true }
  }

  /// A row of each control for every exact count of the subject. Counts that the committed file gives as a range have no row.
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
