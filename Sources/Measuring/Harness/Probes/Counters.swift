import CProbes
import RawThreads

/// Counts what the process does, over all threads; counting disturbs time, so it has passes of its own.
///
/// There is one set of counters: one thread of a process counts, and a test that counts has a process of its own.
enum Counters {
  /// Whether objects, retains and releases are counted: a trial in another process has counted known work exactly.
  static let countObjects: Bool = {
    KnownWork.rehearse()
    // The trial is lost if another thread held a lock at the very moment of the fork; one that is alone never loses it so.
    return (0..<3).contains { _ in counters_prove_objects(KnownWork.isCountedExactly) }
  }()

  static var countAllocations: Bool { counters_count_allocations() }

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
    _ = countObjects
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
