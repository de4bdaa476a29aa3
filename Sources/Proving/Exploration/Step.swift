/// A possible next event of a simulated run: the next part of a task, a service's answer, or an advance of the clock.
public struct Step: Sendable, Hashable {
  /// The step's identifier, unique among the steps that can run now. The same causes give the same identifier in every run.
  public let id: UInt64
  /// The identifier of the step's lane, the sequence of all steps of one task.
  public let lane: UInt64

  /// Creates a step. If `lane` is `nil`, the step is the first of a new lane.
  public init(id: UInt64, lane: UInt64? = nil) { (self.id, self.lane) = (id, lane ?? id) }
}

/// The objects that a step touched. Steps without a common object are independent: their order does not matter.
///
/// Objects have numbers from 0 to 63. Objects may share a number, but then more interleavings are tried than necessary. Use
/// `everything` for a step with unknown effects.
public struct Footprint: Sendable, Hashable {
  var writes: UInt64 = 0
  var reads: UInt64 = 0
  var adds: UInt64 = 0

  /// Creates an empty footprint.
  public init() {}

  /// A footprint with all objects. Only steps with an empty footprint are independent of it.
  public static let everything: Footprint = {
    var all = Footprint()
    all.writes = ~0
    return all
  }()

  /// Records that the step changes the object, or accesses it in an unknown way.
  public mutating func writes(_ object: Int) { writes |= 1 << UInt64(object & 63) }

  /// Records that the step reads the object.
  public mutating func reads(_ object: Int) { reads |= 1 << UInt64(object & 63) }

  /// Records a commutative change of the object. Such changes give the same result in any order.
  public mutating func adds(to object: Int) { adds |= 1 << UInt64(object & 63) }

  /// The number that all objects after the first 63 share.
  static let shared = 63

  /// Whether the order of two steps with these footprints may matter.
  @inline(__always)
  public func isDependent(on other: Footprint) -> Bool {
    writes & (other.writes | other.reads | other.adds) | other.writes & (reads | adds) | reads & other.adds
      | adds & other.reads != 0
  }
}

/// Derives a step's identifier from the steps that cause it, so that it is the same in all interleavings with these causes.
public struct Causes: Sendable {
  private var cause: UInt64 = 0
  private var count: UInt64 = 0

  /// Creates the state before the first step, without a cause.
  public init() {}

  /// Sets the step that makes the following steps ready.
  public mutating func begin(_ step: Step) { (cause, count) = (step.id, 0) }

  /// The next step that the current cause makes ready. It is the first step of a new lane.
  public mutating func next() -> Step {
    defer { count += 1 }
    return Step(id: Generator.derive(cause, count))
  }
}
