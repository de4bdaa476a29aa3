import CCounters

/// Work of which it is known how often it allocates, retains and releases.
enum KnownWork {
  private final class Empty {}

  /// Odd numbers, so that none is another's multiple.
  static let exact = PlantedWork(allocations: 101, retains: 211, objects: 53)

  /// Holds the counts of known work against what they must be. Then does what compilers make of strings, whose references
  /// are not all objects: whoever takes one for an object crashes.
  static let isCountedExactly: @convention(c) () -> Bool = {
    counters_set_thread_counted(true)
    counters_reset()
    counters_set_counting(true)
    exact.perform()
    counters_set_counting(false)
    let seen = counters_values()
    counters_reset()
    counters_set_counting(true)
    copyTexts()
    counters_set_counting(false)
    return seen.objects == UInt64(exact.objects)
      && seen.retains == UInt64(exact.retains)
      && seen.releases == UInt64(exact.retains + exact.objects)
      && counters_values().retains > 0 && counters_runtime_is_untouched()
  }

  /// Does all of it once, uncounted, so that whatever is set up at the first time is there.
  static func rehearse() {
    exact.perform()
    copyTexts()
  }

  /// Copies strings of every kind, objects and existentials, one beside the other.
  private static func copyTexts() {
    var texts = ["a literal that is too long to be short"]
    // Up to 15 bytes lie in the reference itself, longer texts on the heap.
    for length in 0...20 { texts.append(String(repeating: "x", count: length)) }
    var values: [Any] = []
    for text in texts {
      values.append(text)
      values.append([text])
      values.append(Empty())
    }
    copies = values + values
    copies = []
  }

  /// Global, so that the compiler cannot leave the work out; touched by one thread.
  nonisolated(unsafe) private static var copies: [Any] = []
}
