/// A possible next event of a schedule: a task's job, a service's answer, or an advance of the clock.
public struct Step: Sendable, Hashable {
  /// The step's identifier: unique among enabled steps, and the same in all schedules with the same causes.
  public let id: UInt64
  /// The lane of the step. All steps of one task have the same lane.
  public let lane: UInt64

  /// Creates a step. Without a lane, the step gets a lane of its own.
  public init(id: UInt64, lane: UInt64? = nil) { (self.id, self.lane) = (id, lane ?? id) }
}

/// The objects that a step touched. Steps without a common object are independent: their order does not matter.
///
/// Objects have numbers from 0 to 63. If objects share a number, more schedules run than necessary. A step with unknown effects
/// has the footprint `everything`.
public struct Footprint: Sendable, Hashable {
  var writes: UInt64 = 0
  var reads: UInt64 = 0
  var adds: UInt64 = 0

  /// Creates an empty footprint.
  public init() {}

  /// A footprint with all objects. Only an empty footprint is independent of it.
  public static let everything: Footprint = {
    var all = Footprint()
    all.writes = ~0
    return all
  }()

  /// Records a change of the object, or an unknown access to it.
  public mutating func writes(_ object: Int) { writes |= 1 << UInt64(object & 63) }

  /// Records a read of the object.
  public mutating func reads(_ object: Int) { reads |= 1 << UInt64(object & 63) }

  /// Records a commutative change. Such changes give the same result in any order.
  public mutating func adds(to object: Int) { adds |= 1 << UInt64(object & 63) }

  /// The number of all objects beyond the first 63.
  static let shared = 63

  /// Whether the order of two steps with these footprints may matter.
  @inline(__always)
  public func isDependent(on other: Footprint) -> Bool {
    writes & (other.writes | other.reads | other.adds) | other.writes & (reads | adds) | reads & other.adds
      | adds & other.reads != 0
  }
}

/// Names steps by their causes, so that a step has the same name in every schedule that leads to it.
public struct Causes: Sendable {
  private var cause: UInt64 = 0
  private var count: UInt64 = 0

  /// Creates an object without a current cause.
  public init() {}

  /// Sets the cause of the following steps.
  public mutating func begin(_ step: Step) { (cause, count) = (step.id, 0) }

  /// The next step that the current cause makes ready, as the first step of a new lane.
  public mutating func next() -> Step {
    defer { count += 1 }
    return Step(id: Generator.derive(cause, count))
  }
}
