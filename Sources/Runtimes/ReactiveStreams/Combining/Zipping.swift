/// One value of each lane at a time, each once.
@usableFromInline
struct Zipping: CombiningPolicy {
  @usableFromInline static var keepsArrivalOrder: Bool { false }

  /// Lanes before this one have a value.
  @usableFromInline var firstUnseen = 0
  /// What is known to wait in each of those.
  @usableFromInline var least = Int.max

  @inlinable init(laneCount: Int) {}

  @inlinable mutating func receiveValue(in lane: Unmanaged<Lane>) {}

  @inlinable mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while firstUnseen < lanes.count {
      let waiting = lanes.with(firstUnseen) { $0.count }
      if waiting == 0 { return 0 }
      least = min(least, waiting)
      firstUnseen += 1
    }
    // By half a lane, so that sources are asked again before they have to pause.
    return min(least, Lane.capacity / 2)
  }

  @inlinable mutating func prepare() {}

  @inlinable mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    firstUnseen = 0
    least = .max
    if lanes.any({ $0.isUsedUp }) { return true }
    lanes.forEach { $0.ask(demand) }
    return false
  }

  @inlinable func isOver(after lane: Unmanaged<Lane>, _ lanes: Lanes) -> Bool {
    lane._withUnsafeGuaranteedRef { $0.isUsedUp }
  }
}
