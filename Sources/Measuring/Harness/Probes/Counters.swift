import CProbes
import RawThreads
import Results

/// Counts allocations and reference counting on all threads. Counting disturbs times, so it happens in separate passes.
///
/// A process has one set of counters, which one thread may use at a time. A test that counts needs its own process.
package enum Counters {
  /// Whether objects, retains and releases are counted: true if a trial in a child process counted known work correctly.
  static let countObjects: Bool = {
    KnownWork.rehearse()
    // A trial fails if another thread holds a lock when the process forks.
    return (0..<3).contains { _ in counters_prove_objects(KnownWork.isCountedExactly) }
  }()

  static let countAllocations = counters_count_allocations()
  /// The library that replaces the system's `malloc`, or `nil` if there is none. Example: `libjemalloc.so.2`.
  package static var foreignAllocator: String? { counters_foreign_allocator().map { String(cString: $0) } }

  static var counts: Counts {
    let values = counters_values()
    var counts = Counts()
    if countAllocations {
      counts.allocations = Int(values.allocations)
      counts.allocatedBytes = Int(values.allocated_bytes)
    }
    if counters_count_objects() {
      counts.objects = Int(values.objects)
      counts.retains = Int(values.retains)
      counts.releases = Int(values.releases)
    }
    return counts
  }

  /// Counts the work of `body` on all other threads, and on this thread while it opts in. `settle` waits for work in progress.
  static func count<Value>(settle: () -> Void, during body: () throws -> Value) rethrows -> (Value, Counts) {
    _ = (countObjects, countAllocations)
    setThreadCounted(false)
    defer { setThreadCounted(true) }
    settle()
    counters_reset()
    counters_set_counting(true)
    defer { counters_set_counting(false) }
    let value = try body()
    settle()
    return (value, counts)
  }

  /// Counts the work of all threads between the calls of `go` and `pause` in `body`.
  static func countPieces<Value>(during body: () throws -> Value) rethrows -> (Value, Counts) {
    _ = countObjects
    setThreadCounted(true)
    OtherThreads.waitUntilTheySleep()
    counters_reset()
    let value = try body()
    return (value, counts)
  }

  static func go() { counters_set_counting(true) }

  /// Waits for work in progress, then stops counting.
  static func pause() {
    setThreadCounted(false)
    OtherThreads.waitUntilTheySleep()
    counters_set_counting(false)
    setThreadCounted(true)
  }

  /// Sets whether this thread's work is counted. At first, the work of every thread is counted.
  static func setThreadCounted(_ isCounted: Bool) { counters_set_thread_counted(isCounted) }

  /// Removes the counters from the Swift runtime before a timed sample. They may be installed again by a thread that was
  /// allocating when counting ended.
  static func stayOff() { if !counters_runtime_is_untouched() { counters_set_counting(false) } }
}

/// The counts of a counting pass. A count is `nil` if this platform cannot measure it.
package struct Counts: Codable, Sendable, Hashable {
  /// The number of successful calls of the allocator.
  package var allocations: Int?
  /// The number of bytes that callers requested, without the allocator's rounding.
  package var allocatedBytes: Int?
  /// The number of Swift objects created on the heap. Each one is also an allocation.
  package var objects: Int?
  package var retains: Int?
  /// The number of releases of Swift objects, including those that free an object.
  package var releases: Int?
}

/// Counts the work of a contender in several scenarios. All counting passes run in one new process.
package struct CountingPasses<Work: Workload> {
  /// The number of posts of each scenario that run before counting, to fill caches.
  package let warmUpPosts = 4
  package let passes = 3

  package init() {}

  package enum Ending: Sendable, Hashable {
    /// The counts of each counting pass, in order. Disturbed passes are left out unless too few passes remain.
    case counted([Counts])
    /// The reason for the failure, as text.
    case failed(String)
  }

  /// Counts every scenario. Returns `nil` if interrupted. After a failure, the next scenario runs in a new process.
  package func take(
    of contender: String, _ scenarios: [Work], launcher: @escaping WorkerLauncher<SampleRequest<Work>>,
    isInterrupted: @escaping () -> Bool
  ) -> [String: Ending]? {
    let pool = WorkerPool(launcher, isInterrupted: isInterrupted)
    defer { pool.stop() }
    var endings: [String: Ending] = [:]
    for scenario in scenarios {
      guard let ending = ending(of: scenario, { pool.ask(contender, $0) }) else { return nil }
      endings[scenario.name] = ending
      if case .failed = ending { pool.stop() }
    }
    return endings
  }

  /// Counts one scenario. Returns `nil` if interrupted.
  private func ending(of scenario: Work, _ ask: (SampleRequest<Work>) -> SampleReply?) -> Ending? {
    var quiet: [Counts] = []
    var all: [Counts] = []
    var isWarm = false
    // A pass in which a thread was preempted may have other counts, so it is repeated, within limits.
    while quiet.count < passes, all.count < 4 * passes {
      let iterations = isWarm ? 1 : warmUpPosts
      guard
        let reply = ask(SampleRequest(scenario: scenario, iterations: iterations, purpose: .allocations))
      else { return nil }
      guard reply.outcome == .measured else { return .failed(reply.reason ?? reply.outcome.rawValue) }
      defer { isWarm = true }
      guard isWarm else { continue }
      let counts = reply.counts ?? Counts()
      all.append(counts)
      if reply.usage.involuntarySwitches == 0 { quiet.append(counts) }
    }
    return .counted(quiet.count == passes ? quiet : all)
  }
}
