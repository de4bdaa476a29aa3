/// Where performances add up what arrives.
///
/// A class, so that closures can share it; unchecked, so that adding costs what an addition costs.
public final class Tally: @unchecked Sendable {
  // Invariant: one thread at a time touches it; whoever changes threads in between synchronises by what it measures.
  @exclusivity(unchecked) public var sum = 0

  public init() {}

  @inlinable public func add(_ value: Int) { sum &+= value }
}
