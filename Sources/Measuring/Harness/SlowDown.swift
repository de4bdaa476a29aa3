/// By how much a worker makes its samples longer, as a share of 1, so that whoever looks for slow-downs can be seen to
/// find one.
///
/// By posts that are not counted, as far as they are whole: more of the same work leaves the threads of an idiom as they
/// are, where a pause lets them settle and makes the next post faster. The rest keeps the processor busy at the end.
package enum SlowDown: Sendable, Hashable {
  case cost(Double)
  case wall(Double)
  /// Both times, for what is judged by either. What is no whole post is spent of the processor and only counted on the clock, as
  /// the two are not equally long.
  case both(Double)

  /// How many whole posts are to be added to so many.
  func wholePosts(of posts: Int) -> Int { Int(share * Double(posts)) }

  /// Keeps the processor busy for what the posts that were added lack, and counts it as part of the sample. `reply` has
  /// the time of all posts, and `added` of them are not among its iterations.
  func lengthen(_ reply: inout SampleReply, added: Int, _ clock: HarnessClock) {
    let posts = Double(reply.iterations)
    let lacking = posts * (1 + share) / (posts + Double(added)) - 1
    let usage = ResourceUsage.now()
    let start = clock.nanoseconds()
    var extra = ResourceUsage()
    var wall: UInt64 = 0
    while isShort(reply, lacking, extra, wall) {
      extra = ResourceUsage()
      extra.add(since: usage)
      wall = clock.nanoseconds() - start
    }
    reply.usageNanoseconds = (reply.usageNanoseconds ?? 0) + wall
    if case .both = self { wall = UInt64(max(0, lacking) * Double(reply.wallNanoseconds)) }
    reply.usage.add(extra)
    reply.wallNanoseconds += wall
  }

  private var share: Double {
    switch self {
    case .cost(let share), .wall(let share), .both(let share): share
    }
  }

  private func isShort(_ reply: SampleReply, _ lacking: Double, _ extra: ResourceUsage, _ wall: UInt64)
    -> Bool
  {
    switch self {
    case .cost, .both: Double(extra.cpuNanoseconds) < lacking * Double(reply.usage.cpuNanoseconds)
    case .wall: Double(wall) < lacking * Double(reply.wallNanoseconds)
    }
  }
}
