import CProbes
import Foundation
import RawThreads
import Results
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ProbesTests {
  @Test func `pressure is the total of the line some, in microseconds`() {
    let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 total=3\n"
    #expect(Disturbance.now(MachineFiles { _ in text }).pressureNanoseconds == 12_000)
    #expect(Disturbance.now(MachineFiles { _ in "" }).pressureNanoseconds == nil)
  }

  @Test func `enough threads can be started`() {
    #expect(ProcessLimits.startableThreads == ProcessLimits.leastThreads)
    #expect(machine_startable_threads(0) == 0)
  }

  #if os(Linux)
    /// In a process of its own: without memory no thread can start.
    @Test(.disabled(if: isUnderSanitizer, "without memory a sanitizer ends the process itself"))
    func `without memory no thread can be started`() async {
      await #expect(processExitsWith: .success) {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #expect(ProcessLimits.startableThreads < ProcessLimits.leastThreads)
      }
    }

    /// Memory that was freed before does not count, and memory that is freed again does. In a process of its own, because other tests free
    /// memory, too.
    @Test(.disabled(if: isUnderSanitizer, "a sanitizer has an allocator of its own"))
    func `memory growth is seen, even if it is freed again`() async {
      await #expect(processExitsWith: .success) {
        let size = 64 << 20
        for _ in 0..<2 {
          let grown = try #require(
            PeakMemory.growth {
              let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
              memset(memory, 1, size)
              memory.deallocate()
            }.bytes)
          #expect(grown >= size / 2 && grown < 2 * size)
        }
      }
    }
  #endif

  @Test(
    arguments: [
      (nil, nil, .at(64 * 0x1p20), ", most likely out of memory"),
      (3, 4, .unlimited, ", out of memory: the kernel killed it"),
      (3, 4, nil, ", out of memory: the kernel killed it"),
      (3, 4, .at(64 * 0x1p20), ", out of memory: the kernel killed it; its control group has 64 MiB"),
      (3, 3, .at(64 * 0x1p20), ", sent from outside"),
    ] as [(Int?, Int?, MachineRecord.Limit?, String)])
  func `a kill counts as out of memory if the kernel says so`(
    before: Int?, after: Int?, limit: MachineRecord.Limit?, reason: String
  ) { #expect(OutOfMemory.reason(killsBefore: before, killsAfter: after, limit: limit) == reason) }

  @Test func `a hand-over is half a round trip, without warm-up`() {
    // Each reading is 10 ns after the one before, and a round trip takes two.
    var clock = FakeClock().clock
    clock.park = { parker, _ in parker.park() }
    let pauses = Atomic(0)
    clock.sleep = { _, _ in pauses.add(1, ordering: .relaxed) }
    #expect(HandOver.nanoseconds(roundTrips: 20, clock: clock) == [Double](repeating: 5, count: 20))
    #expect(pauses.load(ordering: .relaxed) == 22)
  }

  @Test func `without an answer there is no hand-over time`() {
    var clock = FakeClock().clock
    let parked = Atomic(0)
    clock.park = { _, _ in
      parked.add(1, ordering: .relaxed)
      return false
    }
    #expect(HandOver.nanoseconds(clock: clock).isEmpty)
    #expect(parked.load(ordering: .relaxed) == 1)
  }

  @Test(arguments: [0, 20_000, 10_000_000] as [UInt64])
  func `a sleep never ends early`(spinNanoseconds: UInt64) {
    for _ in 0..<5 {
      let moment = MonotonicClock.nanoseconds() + 200_000
      PreciseSleep.sleep(untilNanoseconds: moment, spinNanoseconds: spinNanoseconds)
      #expect(MonotonicClock.nanoseconds() >= moment)
    }
  }
}
