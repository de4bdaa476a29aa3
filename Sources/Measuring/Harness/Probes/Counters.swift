import CProbes
import RawThreads
import Results

/// Counts allocations and reference counting on all threads. Counting disturbs times, so it happens in separate passes.
///
/// A process has one set of counters, for one thread at a time. A test that counts needs its own process.
package enum Counters {
  /// Whether objects, retains and releases are counted: true if a trial in a child process counted known work exactly.
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

  /// Counts the work of `body` on other threads, and on this one while it is counted. `settle` waits for work in progress.
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

  /// Counts the work of all threads between calls of `go` and `pause` in `body`.
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

  /// Sets whether this thread is counted. Every thread is counted at first.
  static func setThreadCounted(_ isCounted: Bool) { counters_set_thread_counted(isCounted) }

  /// Removes the counters from the Swift runtime before a timed sample. A thread that allocated just when counting ended may have
  /// switched them on again.
  static func stayOff() { if !counters_runtime_is_untouched() { counters_set_counting(false) } }
}

/// The counts of a pass. A count is `nil` if this platform cannot measure it.
package struct Counts: Codable, Sendable, Hashable {
  /// The number of successful calls of the allocator.
  package var allocations: Int?
  /// The number of requested bytes, without the allocator's rounding.
  package var allocatedBytes: Int?
  /// The number of Swift objects on the heap. Each is an allocation, too.
  package var objects: Int?
  package var retains: Int?
  /// The number of releases of Swift objects, including those that free an object.
  package var releases: Int?
}

/// Counts the work of a contender in several scenarios. All passes run in one new process.
package struct CountingPasses<Work: Workload> {
  /// The number of posts of each scenario that are not counted. They fill caches.
  package let warmUpPosts = 4
  package let passes = 3

  package init() {}

  package enum Ending: Sendable, Hashable {
    /// The counts of each pass, in order: of the undisturbed passes, or of all passes if too few were undisturbed.
    case counted([Counts])
    /// The reason of the failure, in words.
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
    // A pass in which a thread was preempted is repeated, within limits, because its counts may differ.
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
