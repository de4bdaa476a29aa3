/// A way to measure both builds of a check: what of them, and where they are placed.
public enum DoctorMode: String, Sendable, Hashable, CaseIterable {
  case costOnOneProcessor = "cost on one processor"
  case costAsIs = "cost as is"
  case wallAtRealTime = "wall at real-time priority"
  case wallAsIs = "wall as is"

  /// Processor time; otherwise time on the clock.
  public var isCost: Bool { self == .costOnOneProcessor || self == .costAsIs }
}
