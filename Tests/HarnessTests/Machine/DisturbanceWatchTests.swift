import Results
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct DisturbanceWatchTests {
  /// Files that change between two readings.
  private final class Changing: Sendable {
    let texts = Mutex<[String: String]>([:])

    var files: MachineFiles { MachineFiles { path in self.texts.withLock { $0[path] } } }
  }

  private func machine(busy: Int, steal: Int, pressure: Int, throttled: Int) -> [String: String] {
    [
      "/proc/stat":
        "cpu  \(busy) 0 0 4 5 0 0 \(steal) 0 0\ncpu0 \(busy) 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
      "/proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(pressure)\nfull total=9\n",
      "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": "throttled_usec \(throttled)\n",
    ]
  }

  @Test func `shares are of the time between two readings`() {
    let changing = Changing()
    changing.texts.withLock { $0 = machine(busy: 10, steal: 100, pressure: 1_000, throttled: 50) }
    let own = Atomic<UInt64>(5)
    let watch = DisturbanceWatch(changing.files, ownNanoseconds: { own.load(ordering: .relaxed) })
    own.store(500_000_005, ordering: .relaxed)
    // 1.1 s at work, of which half a second is our own, 40 ms stolen on two processors, 500 ms of pressure, 10 ms held back.
    changing.texts.withLock { $0 = machine(busy: 120, steal: 104, pressure: 501_000, throttled: 10_050) }
    var record = MachineRecord()
    watch.record(into: &record, elapsedNanoseconds: 1_000_000_000, processors: 2)
    #expect(record.stealShare == 0.02)
    #expect(record.othersShare == 0.3)
    #expect(record.pressureShare == 0.5)
    #expect(record.throttledShare == 0.01)
  }

  @Test func `what the machine does not show stays unknown`() {
    var record = MachineRecord()
    DisturbanceWatch(MachineFiles { _ in nil }).record(
      into: &record, elapsedNanoseconds: 1_000_000_000, processors: 2)
    #expect(record == MachineRecord())
  }
}
