/// When a combining operator makes a value, what of its lanes it takes for that, and when it is over.
@usableFromInline
protocol CombiningPolicy: SendableMetatype {
  /// Whether `receiveValue(in:)` is to be told of each value, in the order of arrival.
  static var keepsArrivalOrder: Bool { get }

  init(laneCount: Int)

  mutating func receiveValue(in lane: Unmanaged<Lane>)

  /// How many values can be made in a row now.
  mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int

  /// A value is about to be made.
  mutating func prepare()

  /// Values have been made: asks the lanes for more. True when no other can be made.
  mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool

  /// Whether no value can be made any more, this lane having finished.
  func isOver(after lane: Unmanaged<Lane>, _ lanes: Lanes) -> Bool
}
