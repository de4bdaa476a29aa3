import Dispatch
import Foundation
import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Conformance

/// A job counts as hung when all threads sleep and nothing can wake them.
@Suite(.ownThread) struct HangDetectorTests {
  /// The looks until a hang is detected.
  private func looks(
    isFirst: Bool = true, timer: Duration = .zero, isThrough: Bool = true, awakeAt: Int? = nil
  ) -> Int {
    var idleness = Idleness(isFirst: isFirst, timer: timer)
    var count = 1
    while !idleness.look(allSleep: count != awakeAt, isThrough: isThrough) { count += 1 }
    return count
  }

  @Test func `a hang takes as many looks as timers and full pools may need`() {
    #expect(looks() == 20)
    #expect(looks(isFirst: false) == 6)
    #expect(looks(awakeAt: 20) == 40)
    #expect(looks(timer: .milliseconds(240)) == 44)
    #expect(looks(isFirst: false, timer: .milliseconds(240)) == 30)
    #expect(looks(isThrough: false) == 150)
  }

  /// More blocked work than a pool starts threads for during a test.
  @Test func `a probe ends only after blocks that wait for a thread`() {
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
    // The other pools are idle.
    wait { probes.allSatisfy { $0.waiting <= 1 } }
    #expect(probes.map(\.waiting) == [1, 1])
    for _ in 0..<count { gate.signal() }
    wait { probes.allSatisfy(\.isThrough) }
  }

  /// A timed breach must be seen three times; without time left, it is seen once.
  @Test func `a timed breach that was seen too rarely is not reported`() throws {
    let plays = (1...20).map { Play([.backoff], .resilient, seed: $0, mostUploads: 9) }
    let timed = plays.filter(\.isTimed)
    let contender = HonestUploads(flaw: .skipsTheBackoff)
    // On a busy machine the backoff may pass before it can be skipped, so all plays are tried.
    check(contender, .resilient, until: .max) { check in
      #expect(timed.contains { !check.broken(by: $0).isEmpty })
    }
    check(contender, .resilient, until: 0) { check in
      #expect(timed.allSatisfy { check.broken(by: $0).isEmpty })
    }
  }

  /// Passes a check with this deadline to the body.
  private func check(
    _ contender: any Contender, _ pattern: Pattern, until deadline: UInt64, _ body: (PatternCheck) -> Void
  ) {
    let threads = AnsweringThreads(count: 1)
    defer { threads.close() }
    let kit = Conformance(
      of: contender, patience: .milliseconds(500), plays: 1, schedules: 1, mostUploads: 9, isFirstLook: true)
    body(PatternCheck(kit, pattern, deadlineNanoseconds: deadline, threads: threads))
  }

  private func wait(_ condition: () -> Bool) {
    let parker = Parker()
    while !condition() { parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + 1_000_000) }
  }
}
