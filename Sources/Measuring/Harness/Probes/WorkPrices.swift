/// What the machine takes, in processor time, for the work that is counted of contenders: a hand-over, an allocation, a retain.
package struct WorkPrices: Sendable, Hashable {
  /// One thread that wakes another and goes to sleep, with all that the kernel does for it; per voluntary context switch.
  package var handOverNanoseconds: Double
  /// Of few bytes, freed again by the same thread.
  package var allocationNanoseconds: Double
  /// Of an object that no other thread uses, released again.
  package var retainNanoseconds: Double

  /// Some ten milliseconds of known work, here and now; nil if the machine has no thread to give.
  ///
  /// Allocations and retains are the fastest of ten rows each, since disturbance only ever adds. What another thread has in its
  /// caches costs more: these are the least that a contender can pay.
  package static func measured(clock: HarnessClock = .monotonic) -> WorkPrices? {
    let before = ResourceUsage.now()
    let trips = HandOver.nanoseconds(roundTrips: 500, pauseNanoseconds: 0, clock: clock)
    var usage = ResourceUsage()
    usage.add(since: before)
    guard !trips.isEmpty, usage.voluntarySwitches > 0 else { return nil }
    let times = 5_000
    func price(_ work: PlantedWork) -> Double {
      (0..<10).map { _ in
        let start = clock.nanoseconds()
        work.perform()
        return Double(clock.nanoseconds() - start) / Double(times)
      }.min() ?? 0
    }
    return WorkPrices(
      handOverNanoseconds: Double(usage.cpuNanoseconds) / Double(usage.voluntarySwitches),
      allocationNanoseconds: price(PlantedWork(allocations: times)),
      retainNanoseconds: price(PlantedWork(retains: times)))
  }
}
