import CProbes

enum KnownWork {
  /// Work with known counts, none a multiple of another, so that mixed-up counters are noticed.
  static let exact = PlantedWork(allocations: 101, retains: 211, objects: 53)

  /// Checks the counts of known work and of copied strings. A counter that takes a literal for an object crashes here.
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

  /// Does all known work once, so that no one-time set-up is counted later.
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

  /// Copies the text: a retain for each copy if the text is an object.
  private static func copyTexts(_ text: String) {
    copies = Array(repeating: text, count: copyCount)
    copies = []
  }

  /// A global variable, so that the compiler does not remove the copies. Invariant: only one thread accesses it.
  nonisolated(unsafe) private static var copies: [String] = []
}

/// Extra work with known counts, to test whether the counters detect it. All of it is freed again.
package struct PlantedWork: Sendable, Hashable {
  package var allocations: Int
  package var retains: Int
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

  // Invariant: written once, at the first access. The object is never freed and has no stored properties.
  nonisolated(unsafe) private static let empty = Unmanaged.passRetained(Empty()).toOpaque()
}
