import CProbes
import RawThreads
import Results

/// Counts what the process does, over all threads; counting disturbs time, so it has passes of its own.
///
/// There is one set of counters: one thread of a process counts, and a test that counts has a process of its own.
package enum Counters {
  /// Whether objects, retains and releases are counted: a trial in another process has counted known work exactly.
  static let countObjects: Bool = {
    KnownWork.rehearse()
    // The trial is lost if another thread held a lock at the very moment of the fork; one that is alone never loses it so.
    return (0..<3).contains { _ in counters_prove_objects(KnownWork.isCountedExactly) }
  }()

  static let countAllocations = counters_count_allocations()
  /// The library that provides `malloc` in place of the system's own, such as `libjemalloc.so.2`; nil: none does.
  package static var foreignAllocator: String? { counters_foreign_allocator().map { String(cString: $0) } }

  /// What was counted while counting was on, since the last reset.
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

  /// Counts what `body` does on other threads, and on this one while that is counted. `settle` waits for what is under way.
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

  /// Counts what is done between `go` and `pause` while `body` runs, on all threads.
  static func countPieces<Value>(during body: () throws -> Value) rethrows -> (Value, Counts) {
    _ = countObjects
    setThreadCounted(true)
    OtherThreads.waitUntilTheySleep()
    counters_reset()
    let value = try body()
    return (value, counts)
  }

  static func go() { counters_set_counting(true) }

  /// Waits first for what is still under way.
  static func pause() {
    setThreadCounted(false)
    OtherThreads.waitUntilTheySleep()
    counters_set_counting(false)
    setThreadCounted(true)
  }

  /// Whether what this thread does is counted; at first it is.
  static func setThreadCounted(_ isCounted: Bool) { counters_set_thread_counted(isCounted) }

  /// Makes sure that a timed sample meets the runtime without counters: a thread that allocated just when counting ended may
  /// have switched its pointers on again.
  static func stayOff() {
    if !counters_runtime_is_untouched() { counters_set_counting(false) }
  }
}

/// What was done in a counting pass; nil: that cannot be counted here.
package struct Counts: Codable, Sendable, Hashable {
  /// Calls of the allocator that gave memory, on the threads that are counted.
  package var allocations: Int?
  /// What was asked for in those calls, not what the allocator made of it.
  package var allocatedBytes: Int?
  /// Swift objects on the heap; each is an allocation, too.
  package var objects: Int?
  package var retains: Int?
  /// Releases of Swift objects, those that free one included.
  package var releases: Int?
}

/// Counts what a contender does in each of several scenarios, in passes of one fresh process.
package struct CountingPasses<Work: Workload> {
  /// Posts of each scenario before those that count, so that caches are filled.
  package let warmUpPosts = 4
  package let passes = 3

  package init() {}

  /// What became of one scenario.
  package enum Ending: Sendable, Hashable {
    /// What each pass counted, in their order: more than ``CountingPasses/passes`` where none was undisturbed for long.
    case counted([Counts])
    /// Why there is none, for people.
    case failed(String)
  }

  /// Passes of every scenario, by its name; nil if it was interrupted.
  ///
  /// What fails is tried no further; the next scenario has a process of its own then.
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

  /// nil if it was interrupted.
  private func ending(of scenario: Work, _ ask: (SampleRequest<Work>) -> SampleReply?) -> Ending? {
    var quiet: [Counts] = []
    var all: [Counts] = []
    var isWarm = false
    // A thread that loses its processor meets other threads in another state: such a pass is taken again, some times.
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
