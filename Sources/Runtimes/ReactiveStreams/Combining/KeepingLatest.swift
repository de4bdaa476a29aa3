/// The latest value of each lane, anew for each that comes, in the order of arrival.
@usableFromInline
struct KeepingLatest: CombiningPolicy {
  @usableFromInline static var keepsArrivalOrder: Bool { true }

  /// A lane for each value that waits.
  @usableFromInline var waiting = Queue<Unmanaged<Lane>>()
  /// Lanes that have had no value.
  @usableFromInline var missing: Int

  @inlinable init(laneCount: Int) { missing = laneCount }

  @inlinable mutating func receiveValue(in lane: Unmanaged<Lane>) { waiting.append(lane) }

  @inlinable mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while let lane = waiting.first?.takeUnretainedValue() {
      if missing == 0 || missing == 1 && !lane.hasLatest { return 1 }
      prepare()
      lane.ask(demand)
    }
    return 0
  }

  @inlinable mutating func prepare() {
    guard let lane = waiting.popFirst()?.takeUnretainedValue() else { return }
    if !lane.hasLatest { missing -= 1 }
    lane.advance()
  }

  @inlinable mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    lanes.forEach { $0.ask(demand) }
    return isOver(lanes)
  }

  @inlinable func isOver(after lane: Unmanaged<Lane>, _ lanes: Lanes) -> Bool { isOver(lanes) }

  /// Whether every lane is used up, or one that had no value is.
  @inlinable func isOver(_ lanes: Lanes) -> Bool {
    waiting.isEmpty && !lanes.any { !$0.isUsedUp } || lanes.any { $0.isUsedUp && !$0.hasLatest }
  }
}
