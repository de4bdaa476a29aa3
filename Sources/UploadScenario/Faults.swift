/// Which uploads fail, as data.
public struct Faults: Sendable, Hashable, Codable {
  /// The index of the media whose upload fails.
  public var failAt: Int?
  /// The share of uploads that fail, from 0 to 1, drawn per media from `seed`.
  public var failureRate: Double
  public var seed: UInt64

  public init(failAt: Int? = nil, failureRate: Double = 0, seed: UInt64 = 0) {
    self.failAt = failAt
    self.failureRate = failureRate
    self.seed = seed
  }

  /// The failure that media `index` meets, nil if it arrives.
  public func failure(at index: Int) -> UploadFailure? {
    if index == failAt { return UploadFailure(mediaIndex: index, reason: "refused by the scenario") }
    guard failureRate > 0 else { return nil }
    let draw = SeededGenerator.unit(SeededGenerator.value(seed: seed, index: index))
    return draw < failureRate ? UploadFailure(mediaIndex: index, reason: "refused by chance") : nil
  }
}
