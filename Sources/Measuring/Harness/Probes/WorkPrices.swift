import CProbes
import RawThreads
import Results
import Synchronization

extension WorkPriceRecord {
  /// Some ten milliseconds of known work, here and now; nil if the machine has no thread to give.
  ///
  /// As an upload's objects are, those that are priced are made by one thread and let go of by another. Of several rows the lower
  /// quartile: what other processes do makes rows dearer, never cheaper, and two runs are to agree.
  package static func measured(before generation: Int, clock: HarnessClock = .monotonic) -> WorkPriceRecord? {
    var handOvers: [Double] = []
    for _ in 0..<5 {
      let before = ResourceUsage.now()
      let trips = HandOver.nanoseconds(roundTrips: 200, pauseNanoseconds: 0, clock: clock)
      var usage = ResourceUsage()
      usage.add(since: before)
      guard !trips.isEmpty, usage.voluntarySwitches > 0 else { return nil }
      handOvers.append(Double(usage.cpuNanoseconds) / Double(usage.voluntarySwitches))
    }
    let kept = (0..<objects).map { _ in Handed() }
    return WorkPriceRecord {
      $0.generation = generation
      $0.handOverNanoseconds = undisturbed(handOvers)
      $0.allocationNanoseconds = price(clock) { (0..<objects).map { _ in Handed() } }
      $0.retainNanoseconds = price(clock) { kept.map { $0 } }
    }
  }

  private static let objects = 1_000

  private final class Handed: Sendable {
    let words = (0, 1, 2, 3)
  }

  /// What each object takes that `make` returns here, and that a thread which has just started lets go of.
  private static func price(_ clock: HarnessClock, of make: () -> [Handed]) -> Double {
    let rows = (0..<10).map { _ in
      let start = clock.nanoseconds()
      let handed = Mutex(make())
      let made = clock.nanoseconds() - start
      let dropped = Atomic<UInt64>(0)
      let other = RawThread(name: "lets go") {
        let start = clock.nanoseconds()
        handed.withLock { $0 = [] }
        dropped.store(clock.nanoseconds() - start, ordering: .relaxed)
      }
      other.join()
      return Double(made + dropped.load(ordering: .relaxed)) / Double(objects)
    }
    return undisturbed(rows)
  }

  private static func undisturbed(_ rows: [Double]) -> Double { rows.sorted()[rows.count / 4] }
}

/// Work of which it is known how often it allocates, retains and releases.
enum KnownWork {
  /// Odd numbers, so that none is another's multiple.
  static let exact = PlantedWork(allocations: 101, retains: 211, objects: 53)

  /// Holds the counts of known work against what they must be; then those of copied strings, of which only those on the heap are
  /// objects: whoever takes others for one crashes.
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

  // Invariant: written once, by whoever asks first; what it points to is never freed and has nothing to write to.
  nonisolated(unsafe) private static let empty = Unmanaged.passRetained(Empty()).toOpaque()
}

/// What it takes to hand over from one thread to another, here and now: most of what a small post costs in some idioms, and
/// twice as much within minutes, by how deep processors sleep.
package enum HandOver {
  /// Two raw threads wake each other alternately; half of each round trip, in nanoseconds.
  ///
  /// - Parameters:
  ///   - roundTrips: how many are timed, after a tenth of that to warm up.
  ///   - pauseNanoseconds: how long both sleep before each: as a contender's, a row of wake-ups would keep the processor awake.
  /// - Returns: none if the other thread does not answer within a second, because the machine has no thread to give.
  package static func nanoseconds(
    roundTrips: Int = 200, pauseNanoseconds: UInt64 = 200_000, clock: HarnessClock = .monotonic
  ) -> [Double] {
    let (there, back) = (Parker(), Parker())
    let isOver = Atomic(false)
    let other = RawThread(name: "hand-over") {
      while true {
        there.park()
        if isOver.load(ordering: .acquiring) { return }
        back.unpark()
      }
    }
    func roundTrip() -> Double? {
      if pauseNanoseconds > 0 { clock.sleep(clock.nanoseconds() + pauseNanoseconds, 0) }
      let start = clock.nanoseconds()
      there.unpark()
      guard clock.park(back, start + 1_000_000_000) else { return nil }
      return Double(clock.nanoseconds() - start) / 2
    }
    func end() {
      isOver.store(true, ordering: .releasing)
      there.unpark()
    }
    var halves: [Double] = []
    for _ in 0..<roundTrips / 10 + roundTrips {
      guard let half = roundTrip() else {
        end()
        return []
      }
      halves.append(half)
    }
    end()
    other.join()
    return Array(halves.suffix(roundTrips))
  }
}
