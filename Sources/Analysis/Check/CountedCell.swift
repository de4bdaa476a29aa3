import Results

extension CountRecord {
  public var cell: CellKey { CellKey(contender: contender, scenario: scenario) }
}

/// What passes have counted of one cell.
public struct CountedCell: Sendable, Hashable {
  public let key: CellKey
  /// Of the same work each; what cannot be counted is missing.
  public private(set) var passes: [[CountedQuantity: Int]] = []
  public private(set) var processes = 0
  /// Why the cell could not be counted.
  public private(set) var failure: String?

  public init(_ key: CellKey) { self.key = key }

  /// Adds the passes of one more process.
  public mutating func add(_ passes: [[CountedQuantity: Int]]) {
    self.passes += passes
    processes += 1
  }

  /// Adds what other processes counted of the same cell.
  public mutating func add(_ other: CountedCell) {
    passes += other.passes
    processes += other.processes
    failure = failure ?? other.failure
  }

  public mutating func fail(_ reason: String) { failure = failure ?? reason }

  /// From the fewest to the most of any pass; nil if there is a pass in which it was not counted.
  public func range(of quantity: CountedQuantity) -> ClosedRange<Int>? {
    let counts = passes.compactMap { $0[quantity] }
    guard counts.count == passes.count, let fewest = counts.min(), let most = counts.max() else { return nil }
    return fewest...most
  }

  /// The count that is proved to repeat: the same in every pass of two processes or more; nil if it is not.
  public func exact(_ quantity: CountedQuantity) -> Int? {
    guard processes > 1, let range = range(of: quantity), range.count == 1 else { return nil }
    return range.lowerBound
  }

  /// What a file may say of it; nil if it was not counted.
  public func commitment(to quantity: CountedQuantity) -> CommittedCount? {
    exact(quantity).map(CommittedCount.exact) ?? range(of: quantity).map { _ in .varies }
  }

  var evidence: String { Plural.counted(passes.count, "pass") }
}
