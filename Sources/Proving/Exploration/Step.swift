/// A possible next event of a schedule: a task's job, an answer, a move of the clock.
public struct Step: Sendable, Hashable {
  /// Identifies the step: the same in all schedules in which the same causes led to it, and unique among enabled steps.
  public let id: UInt64
  /// The lane: the steps of one task form one.
  public let lane: UInt64

  /// Creates a step; without a lane, it has its own.
  public init(id: UInt64, lane: UInt64? = nil) { (self.id, self.lane) = (id, lane ?? id) }
}

/// The objects that a step has touched: steps without a common object are independent, and their order does not matter.
///
/// Objects have numbers from 0 to 63; sharing a number loses reduction, not schedules. A step with unknown effects has the
/// footprint `everything`.
public struct Footprint: Sendable, Hashable {
  var writes: UInt64 = 0
  var reads: UInt64 = 0
  var adds: UInt64 = 0

  /// Creates an empty footprint.
  public init() {}

  /// All objects: independent only of an empty footprint.
  public static let everything: Footprint = {
    var all = Footprint()
    all.writes = ~0
    return all
  }()

  /// Records a change of the object, or an unknown access.
  public mutating func writes(_ object: Int) { writes |= 1 << UInt64(object & 63) }

  /// Records a read of the object.
  public mutating func reads(_ object: Int) { reads |= 1 << UInt64(object & 63) }

  /// Records a commutative change: such changes lead to the same result in any order.
  public mutating func adds(to object: Int) { adds |= 1 << UInt64(object & 63) }

  /// The object that surplus names share.
  static let shared = 63

  /// Whether the order of two steps may matter.
  @inline(__always)
  public func isDependent(on other: Footprint) -> Bool {
    writes & (other.writes | other.reads | other.adds) | other.writes & (reads | adds) | reads & other.adds
      | adds & other.reads != 0
  }
}

/// Names steps by their causes, so that they have the same names in every schedule that leads to them.
public struct Causes: Sendable {
  private var cause: UInt64 = 0
  private var count: UInt64 = 0

  /// Creates an empty chain of causes.
  public init() {}

  /// Sets the cause of the following steps.
  public mutating func begin(_ step: Step) { (cause, count) = (step.id, 0) }

  /// The next consequence of the current cause, as the first step of a new lane.
  public mutating func next() -> Step {
    defer { count += 1 }
    return Step(id: Generator.derive(cause, count))
  }
}
