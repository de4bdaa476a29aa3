import RawThreads
import UploadScenario

extension Ledger {
  /// Cancelled uploads answer in their own time, and a chunk may just be being read: waits until the last one is gone.
  ///
  /// False: the moment came first.
  func waitUntilQuiet(_ clock: HarnessClock, untilNanoseconds deadline: UInt64) -> Bool {
    let pause = Parker()
    while uploadsInFlight > 0 || chunksAlive > 0 {
      let now = clock.nanoseconds()
      if now >= deadline { return false }
      _ = clock.park(pause, min(deadline, now + 50_000))
    }
    return true
  }
}
