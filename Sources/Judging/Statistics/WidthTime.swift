/// How long something took at one width, such as a post of so many uploads.
public struct WidthTime: Sendable, Hashable {
  /// 1 or more.
  public var width: Double
  /// Above 0, in whatever unit.
  public var time: Double

  public init(width: Double, time: Double) {
    precondition(width >= 1 && time > 0, "something of a width takes time")
    self.width = width
    self.time = time
  }
}
