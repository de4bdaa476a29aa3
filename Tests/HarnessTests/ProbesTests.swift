import CProbes
import Foundation
import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ProbesTests {
  @Test func `pressure is the total of the line some, in microseconds`() {
    let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 total=3\n"
    #expect(Disturbance.now(MachineFiles { _ in text }).pressureNanoseconds == 12_000)
    #expect(Disturbance.now(MachineFiles { _ in "" }).pressureNanoseconds == nil)
  }

  @Test func `numbers are found by name`() {
    let files = MachineFiles { _ in "VmPeak:\t 9 kB\nVmHWM:\t 1234 kB\n" }
    #expect(files.number("VmHWM:", in: "status") == 1234)
    #expect(files.number("Threads:", in: "status") == nil)
  }

  #if os(Linux)
    @Test func `running threads are counted`() {
      let before = ThreadSampler.threadCount() ?? 0
      let (value, peak) = ThreadSampler.peak { 7 }
      #expect(value == 7)
      #expect(before > 0)
      // nil: it was over before anybody looked.
      #expect((peak ?? 1) > 0)
    }
  #endif

  @Test func `enough threads can be started`() {
    #expect(ProcessLimits.startableThreads == ProcessLimits.leastThreads)
    #expect(machine_startable_threads(0) == 0)
  }

  #if os(Linux)
    /// A limit of this process's own: whoever has none of its memory may start no thread.
    @Test(.disabled(if: isUnderSanitizer, "without memory a sanitizer ends the process itself"))
    func `without memory no thread can be started`() async {
      await #expect(processExitsWith: .success) {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #expect(ProcessLimits.startableThreads < ProcessLimits.leastThreads)
      }
    }

    /// What was freed before is not taken for what is new, and what is freed again counts all the same. In a process of its own:
    /// what other tests give back meanwhile would count, too.
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
      (3, 4, .unlimited, ", out of memory: the kernel ended it"),
      (3, 4, nil, ", out of memory: the kernel ended it"),
      (3, 4, .at(64 * 0x1p20), ", out of memory: the kernel ended it: its control group may have 64 MiB"),
      (3, 3, .at(64 * 0x1p20), ", sent from outside"),
    ] as [(Int?, Int?, MachineRecord.Limit?, String)])
  func `a kill counts as out of memory if the kernel says so`(
    before: Int?, after: Int?, limit: MachineRecord.Limit?, reason: String
  ) {
    #expect(OutOfMemory.reason(killsBefore: before, killsAfter: after, limit: limit) == reason)
  }

  @Test func `usage adds up differences`() {
    var start = ResourceUsage()
    start.minorFaults = 5
    var end = start
    end.minorFaults = 12
    end.cpuUserNanoseconds = 3
    var sum = ResourceUsage()
    sum.add(from: start, to: end)
    sum.add(from: start, to: end)
    #expect(sum.minorFaults == 14)
    #expect(sum.cpuUserNanoseconds == 6)
  }

  @Test func `usage in steps equals usage at once`() {
    let start = ResourceUsage.now()
    var (sum, last) = (ResourceUsage(), start)
    var ends: [UInt64] = []
    for _ in 0..<1_000 {
      let next = ResourceUsage.now()
      sum.add(from: last, to: next)
      last = next
      ends.append(next.cpuNanoseconds)
    }
    #expect(sum.cpuNanoseconds == last.cpuNanoseconds - start.cpuNanoseconds)
    #expect(ends == ends.sorted())
    #if os(Linux)
      // What a post of 31 µs takes cannot be told from one that takes 2 % more in whole microseconds.
      #expect(ends.contains { !$0.isMultiple(of: 1_000) })
    #endif
  }
}
