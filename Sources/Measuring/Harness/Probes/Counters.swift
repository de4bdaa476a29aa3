import CProbes
import RawThreads
import Results

/// Counts allocations, retains and releases of all threads. Counting makes work slower, so it is done apart from timing. A
/// process has one set of counters, which one thread may use at a time.
package enum Counters {
  /// Whether objects, retains and releases can be counted: a trial in a child process counted known work correctly.
  static let countObjects: Bool = {
    KnownWork.rehearse()
    // The trial is repeated, because it fails if another thread holds a lock when the process forks.
    return (0..<3).contains { _ in counters_prove_objects(KnownWork.isCountedExactly) }
  }()

  static let countAllocations = counters_count_allocations()
  /// The library that replaces the system's `malloc`, such as `libjemalloc.so.2`, or `nil`.
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

  /// Counts the work of other threads, and of this one after `setThreadCounted(true)`. `settle` waits until other threads
  /// sleep.
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

  /// Counts what all threads do between the calls of `go` and `pause` in `body`.
  static func countPieces<Value>(during body: () throws -> Value) rethrows -> (Value, Counts) {
    _ = countObjects
    setThreadCounted(true)
    OtherThreads.waitUntilTheySleep()
    counters_reset()
    let value = try body()
    return (value, counts)
  }

  static func go() { counters_set_counting(true) }

  /// Waits until other threads sleep, then stops counting.
  static func pause() {
    setThreadCounted(false)
    OtherThreads.waitUntilTheySleep()
    counters_set_counting(false)
    setThreadCounted(true)
  }

  static func setThreadCounted(_ isCounted: Bool) { counters_set_thread_counted(isCounted) }

  /// Removes the counters from the Swift runtime, if a thread that was allocating when counting ended has put them back.
  static func stayOff() { if !counters_runtime_is_untouched() { counters_set_counting(false) } }
}

/// Counts of allocations and references. A count is `nil` if this platform cannot measure it.
package struct Counts: Codable, Sendable, Hashable {
  package var allocations: Int?
  /// The bytes that callers requested, without the allocator's rounding.
  package var allocatedBytes: Int?
  /// Swift objects created on the heap. Each one is also an allocation.
  package var objects: Int?
  package var retains: Int?
  /// Releases of Swift objects, including those that free an object.
  package var releases: Int?
}

/// Counts allocations and references of a contender in several scenarios, in one new process.
package struct CountingPasses<Work: Workload> {
  /// The number of posts of each scenario that run before counting starts, to fill caches.
  package let warmUpPosts = 4
  package let passes = 3

  package init() {}

  package enum Ending: Sendable, Hashable {
    /// The counts of each counted iteration, in order. Those with a preempted thread are left out unless too few others remain.
    case counted([Counts])
    case failed(String)
  }

  /// Counts in each scenario. Returns `nil` if the user interrupted. After a failure, the next scenario runs in a new process.
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

  private func ending(of scenario: Work, _ ask: (SampleRequest<Work>) -> SampleReply?) -> Ending? {
    var quiet: [Counts] = []
    var all: [Counts] = []
    var isWarm = false
    // Preemption may change counts, so iterations with a preempted thread are repeated, up to four times the planned number.
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
