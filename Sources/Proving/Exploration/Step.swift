/// Something that may happen next in a schedule: a job of a task goes on, an answer comes, the clock moves.
public struct Step: Sendable, Hashable {
  /// Says which it is: the same in all schedules in which the same has led to it. No two that are enabled together share one.
  public let id: UInt64
  /// Whose it is: what one task does, step after step, is one lane.
  public let lane: UInt64

  /// A step; without a lane it is the only one of its own.
  public init(id: UInt64, lane: UInt64? = nil) { (self.id, self.lane) = (id, lane ?? id) }
}

/// What a step has touched: two that touched nothing in common may change places, and nobody can tell.
///
/// Objects are told apart by a number of 0 to 63; who has more lets some share one, which costs reduction and loses nothing. A
/// step that does not know all that it touches says `everything`.
public struct Footprint: Sendable, Hashable {
  var writes: UInt64 = 0
  var reads: UInt64 = 0
  var adds: UInt64 = 0

  /// It touched nothing that another step can see.
  public init() {}

  /// Whatever there is: it changes places with nothing but what touched nothing.
  public static let everything: Footprint = {
    var all = Footprint()
    all.writes = ~0
    return all
  }()

  /// It changed the object, or depends on it in a way that it does not tell.
  public mutating func writes(_ object: Int) { writes |= 1 << UInt64(object & 63) }

  /// It looked at the object.
  public mutating func reads(_ object: Int) { reads |= 1 << UInt64(object & 63) }

  /// It changed the object as others do that only add to it: such changes lead to the same in any order.
  public mutating func adds(to object: Int) { adds |= 1 << UInt64(object & 63) }

  /// The object that many may share without knowing.
  static let shared = 63

  /// Whether the order of the two steps may matter.
  @inline(__always)
  public func isDependent(on other: Footprint) -> Bool {
    writes & (other.writes | other.reads | other.adds) | other.writes & (reads | adds) | reads & other.adds
      | adds & other.reads != 0
  }
}

/// Names steps after what has made them ready, so that they have the same names in whatever order it has come to that.
public struct Causes: Sendable {
  private var cause: UInt64 = 0
  private var count: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}

  /// What comes from now on comes of this step.
  public mutating func begin(_ step: Step) { (cause, count) = (step.id, 0) }

  /// The next thing that has come of the step, the first step of a lane of its own.
  public mutating func next() -> Step {
    defer { count += 1 }
    return Step(id: Generator.derive(cause, count))
  }
}
