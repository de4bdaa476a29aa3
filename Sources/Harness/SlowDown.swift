/// By how much a worker makes its samples longer, as a share of 1, so that whoever looks for slow-downs can be seen to
/// find one.
public enum SlowDown: Sendable, Hashable {
  /// Of the sample's processor time.
  case cost(Double)
  /// Of its time on the clock.
  case wall(Double)
}

/// A sample that is being made longer, a little after each of its posts, as slower code would.
struct Lengthening {
  private let slowDown: SlowDown
  private let clock: HarnessClock
  /// What has been added so far; it is part of the sample.
  private var usage = ResourceUsage()
  private var wallNanoseconds: UInt64 = 0

  init(_ slowDown: SlowDown, _ clock: HarnessClock) {
    self.slowDown = slowDown
    self.clock = clock
  }

  /// Keeps the processor busy until what the posts so far took is longer by the share.
  mutating func lengthen(_ reply: inout SampleReply) {
    let start = clock.nanoseconds()
    let before = ResourceUsage.now()
    let (posts, wall) = (reply, wallNanoseconds)
    var spent = ResourceUsage()
    while lacks(posts, spent, wallNanoseconds - wall) {
      spent = ResourceUsage()
      spent.add(from: before, to: .now())
      wallNanoseconds = wall + clock.nanoseconds() - start
    }
    usage.add(from: ResourceUsage(), to: spent)
    reply.usage.add(from: ResourceUsage(), to: spent)
    reply.wallNanoseconds += wallNanoseconds - wall
  }

  private func lacks(_ reply: SampleReply, _ spent: ResourceUsage, _ wall: UInt64) -> Bool {
    switch slowDown {
    case .cost(let share):
      let posts = reply.usage.cpuNanoseconds - usage.cpuNanoseconds
      return Double(usage.cpuNanoseconds + spent.cpuNanoseconds) < share * Double(posts)
    case .wall(let share):
      let earlier = wallNanoseconds - wall
      return Double(wallNanoseconds) < share * Double(reply.wallNanoseconds - earlier)
    }
  }
}
