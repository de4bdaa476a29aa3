/// By how much a worker makes its samples longer, as a share of 1, so that whoever looks for slow-downs can be seen to
/// find one.
public enum SlowDown: Sendable, Hashable {
  /// Of the sample's processor time.
  case cost(Double)
  /// Of its time on the clock.
  case wall(Double)

  /// Keeps the processor busy for that long, and counts it as part of the sample.
  ///
  /// Once, at its end: in between, it would give the threads of one post time to settle before the next, which makes an
  /// idiom that hands over between threads faster by more than was added.
  func lengthen(_ reply: inout SampleReply, _ clock: HarnessClock) {
    let usage = ResourceUsage.now()
    let start = clock.nanoseconds()
    var extra = ResourceUsage()
    var wall: UInt64 = 0
    repeat {
      extra = ResourceUsage()
      extra.add(from: usage, to: .now())
      wall = clock.nanoseconds() - start
    } while lacks(reply, extra, wall)
    reply.usage.add(from: ResourceUsage(), to: extra)
    reply.wallNanoseconds += wall
  }

  private func lacks(_ reply: SampleReply, _ extra: ResourceUsage, _ wall: UInt64) -> Bool {
    switch self {
    case .cost(let share): Double(extra.cpuNanoseconds) < share * Double(reply.usage.cpuNanoseconds)
    case .wall(let share): Double(wall) < share * Double(reply.wallNanoseconds)
    }
  }
}
