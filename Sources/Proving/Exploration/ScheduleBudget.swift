/// How much of the schedules of a body is tried.
public struct ScheduleBudget: Sendable, Hashable {
  /// For how long.
  public var time: Duration
  /// How many at most.
  public var schedules: Int
  /// How many steps one may have until it counts as endless.
  public var steps: Int
  /// How long one step may take until it counts as one that does not come back.
  public var stepTime: Duration

  /// A budget; what does not suffice for all schedules goes to random ones, too.
  public init(
    time: Duration = .seconds(10), schedules: Int = .max, steps: Int = 10_000,
    stepTime: Duration = .seconds(10)
  ) {
    (self.time, self.schedules, self.steps, self.stepTime) = (time, schedules, steps, stepTime)
  }

  /// Ten seconds.
  public static let standard = ScheduleBudget()

  /// So long.
  public static func time(_ time: Duration) -> Self { Self(time: time) }

  /// So many.
  public static func schedules(_ count: Int) -> Self { Self(time: .seconds(3_600), schedules: count) }
}

/// What was tried of a body.
public struct ScheduleReport: Sendable, Hashable {
  /// How many schedules ran.
  public var schedules = 0
  /// All that there are were tried.
  public var isExhausted = false
}
