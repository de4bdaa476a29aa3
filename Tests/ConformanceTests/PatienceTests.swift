import Dispatch
import Foundation
import RawThreads
import Registry
import Synchronization
import TestSupport
import Testing

@testable import Conformance

/// When a job counts as hung: when all threads sleep, and nothing can wake them.
@Suite(.ownThread) struct PatienceTests {
  /// How many looks it takes until nothing will happen any more.
  private func looks(
    isFirst: Bool = true, timer: Duration = .zero, isThrough: Bool = true, awakeAt: Int? = nil
  ) -> Int {
    var idleness = Idleness(isFirst: isFirst, timer: timer)
    var count = 1
    while !idleness.look(allSleep: count != awakeAt, isThrough: isThrough) { count += 1 }
    return count
  }

  @Test func whereAllSleepThatIsFoundWithinAMoment() {
    #expect(looks() == 20)
    #expect(looks(isFirst: false) == 6)
  }

  @Test func whoWakesUpOnceIsWaitedForAnew() { #expect(looks(awakeAt: 20) == 40) }

  @Test func aTimerThatMayFireIsWaitedFor() {
    #expect(looks(timer: .milliseconds(240)) == 44)
    #expect(looks(isFirst: false, timer: .milliseconds(240)) == 30)
  }

  @Test func aPoolThatIsFullIsWaitedForLonger() { #expect(looks(isThrough: false) == 150) }

  /// More blocked work than a pool gets threads for within a test.
  @Test func nobodyIsThroughBeforeWhatWaitsForAThread() {
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let count = 64 + ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<count {
      DispatchQueue.global(qos: .background).async {
        begun.signal()
        gate.wait()
      }
    }
    begun.wait()
    let probes = [DispatchProbe(), DispatchProbe()]
    // The other pools are.
    wait { probes.allSatisfy { $0.waiting <= 1 } }
    #expect(probes.map(\.waiting) == [1, 1])
    for _ in 0..<count { gate.signal() }
    wait { probes.allSatisfy(\.isThrough) }
  }

  @Test func handlesThatWereHeldWhenTheTimeWasOverTellNothing() throws {
    let threads = AnsweringThreads(count: 1)
    defer { threads.close() }
    let limits = Conformance.Limits(
      timeout: .seconds(20), plays: 1, schedules: 1, mostUploads: 1, countsLeftovers: true, isFirstLook: false
    )
    let callbacks = try #require(contenders.first { $0.name == "callbacks" })
    let check = PatternCheck(callbacks, .sequence, seed: 1, limits, deadlineNanoseconds: 0, threads: threads)
    #expect(check.bytesHeld(by: 10) == nil)
  }

  /// One wakes the other and sleeps: one of them is always awake, and whoever looks at one after the other may see both asleep.
  @Test func whoWakesAnotherBeforeSleepingIsNotTakenForAsleep() {
    let (here, there) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isOver = Atomic(false)
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) {
        here.wait()
        there.signal()
      }
    }
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) {
        here.signal()
        there.wait()
      }
      here.signal()
    }
    let times = (0..<2_000).count { _ in OtherThreads.allSleep }
    isOver.store(true, ordering: .relaxed)
    there.signal()
    #expect(times == 0)
  }

  /// Where timers decide it takes three times, and when time is up there is but one.
  @Test func whatWasNotSeenOftenEnoughWhenTimeWasUpIsNotToldOf() throws {
    let plays = (1...20).map { Play([.backoff], .resilient, seed: $0, mostUploads: 9) }
    let first = plays.first { $0.isTimed }
    let timed = try #require(first)
    let threads = AnsweringThreads(count: 1)
    defer { threads.close() }
    let limits = Conformance.Limits(
      timeout: .milliseconds(500), plays: 1, schedules: 1, mostUploads: 9, countsLeftovers: false,
      isFirstLook: true)
    func breaches(until deadline: UInt64) -> [Breach] {
      let contender = HonestUploads(flaw: .skipsTheBackoff)
      let check = PatternCheck(
        contender, .resilient, seed: 1, limits, deadlineNanoseconds: deadline, threads: threads)
      return check.broken(by: timed)
    }
    #expect(!breaches(until: .max).isEmpty)
    #expect(breaches(until: 0).isEmpty)
  }

  private func wait(_ condition: () -> Bool) {
    let parker = Parker()
    while !condition() { parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + 1_000_000) }
  }
}
