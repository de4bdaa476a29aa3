/// What was measured of a window of load, or of all windows of one rate together; nil: unknown.
public struct LoadFigures: Sendable, Hashable {
  public var achievedPerSecond: Double?
  public var p50Nanoseconds: Int?
  public var p90Nanoseconds: Int?
  public var p99Nanoseconds: Int?
  public var p999Nanoseconds: Int?
  public var p9999Nanoseconds: Int?
  public var maxNanoseconds: Int?
  public var latenessP50Nanoseconds: Int?
  public var latenessP99Nanoseconds: Int?
  public var latenessMaxNanoseconds: Int?
  public var heldUpP99Nanoseconds: Int?
  public var processShare: Double?
  public var machineShare: Double?
  public var othersShare: Double?

  public init() {}
}
