import CProbes

/// Work of which it is known how often it allocates, retains and releases.
enum KnownWork {
  /// Odd numbers, so that none is another's multiple.
  static let exact = PlantedWork(allocations: 101, retains: 211, objects: 53)

  /// Holds the counts of known work against what they must be; then those of copied strings, of which only those on the heap are
  /// objects: a program that takes others for one crashes.
  static let isCountedExactly: @convention(c) () -> Bool = {
    counters_set_thread_counted(true)
    counters_reset()
    counters_set_counting(true)
    exact.perform()
    counters_set_counting(false)
    let seen = counters_values()
    let (onHeap, literal, short) = (
      retains { copyTexts(heap) }, retains { copyTexts("a literal that is too long to be short") },
      retains { copyTexts("isExecuting") }
    )
    return seen.objects == UInt64(exact.objects)
      && seen.retains == UInt64(exact.retains)
      && seen.releases == UInt64(exact.retains + exact.objects)
      && onHeap >= literal + UInt64(copyCount) && literal == short && counters_runtime_is_untouched()
  }

  /// Does all of it once, uncounted, so that whatever is set up at the first time is there.
  static func rehearse() {
    exact.perform()
    copyTexts(heap)
  }

  private static func retains(_ body: () -> Void) -> UInt64 {
    counters_reset()
    counters_set_counting(true)
    body()
    counters_set_counting(false)
    return counters_values().retains
  }

  private static let copyCount = 100
  private static let heap = String(repeating: "heap ", count: 10)

  /// Retains as often as there are copies, if the text is an object.
  private static func copyTexts(_ text: String) {
    copies = Array(repeating: text, count: copyCount)
    copies = []
  }

  /// Global, so that the compiler cannot leave the work out; touched by one thread.
  nonisolated(unsafe) private static var copies: [String] = []
}

/// Work that is done on top in counting passes, to see that it is found.
package struct PlantedWork: Sendable, Hashable {
  /// Each is freed again.
  package var allocations: Int
  /// Each is released again.
  package var retains: Int
  /// Each is an allocation more, and is released again.
  package var objects: Int

  package static let bytesPerAllocation = 16

  package init(allocations: Int = 0, retains: Int = 0, objects: Int = 0) {
    self.allocations = allocations
    self.retains = retains
    self.objects = objects
  }

  func perform(times: Int = 1) {
    counters_plant_allocations(UInt64(allocations * times), Self.bytesPerAllocation)
    counters_plant_retains(Self.empty, UInt64(retains * times))
    counters_plant_objects(Self.empty, UInt64(objects * times))
  }

  private final class Empty {}

  // Invariant: written once, by the first that asks; what it points to is never freed and has nothing to write to.
  nonisolated(unsafe) private static let empty = Unmanaged.passRetained(Empty()).toOpaque()
}
