import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct OtherProcessesTests {
  /// Two processors and what they have done, and this process, which has used what it is told.
  private final class Machine: Sendable {
    private let ticks = Atomic(0)
    private let now = Atomic<UInt64>(0)
    private let own = Atomic<UInt64>(0)

    var files: MachineFiles {
      MachineFiles { path in
        path == "/proc/stat"
          ? "cpu  \(self.ticks.load(ordering: .relaxed)) 0 0 9 9 0 0 0 0 0\ncpu0 0 0 0 9 9 0 0 0 0 0\ncpu1 0 0 0 9 9 0 0 0 0 0\nintr 1\n"
          : nil
      }
    }

    func others() -> OtherProcesses {
      OtherProcesses(
        files, clock: HarnessClock { self.now.load(ordering: .relaxed) },
        ownNanoseconds: { self.own.load(ordering: .relaxed) })
    }

    func pass(milliseconds: Int, busy: Int, own: Int) {
      now.add(UInt64(milliseconds) * 1_000_000, ordering: .relaxed)
      ticks.add(busy / 10, ordering: .relaxed)
      self.own.add(UInt64(own) * 1_000_000, ordering: .relaxed)
    }
  }

  /// Rounds of 100 ms on two processors, of which the workers use 80 and others so many; which were disturbed.
  private func disturbed(_ others: [Int], workers: Int = 80, scenario: (Int) -> String = { _ in "s" })
    -> [Bool]
  {
    let machine = Machine()
    var watch = machine.others()
    var used: UInt64 = 0
    return others.enumerated().map { index, milliseconds in
      let start = watch.reading(workers: used)
      machine.pass(milliseconds: 100, busy: workers + 10 + milliseconds, own: 10)
      used += UInt64(workers) * 1_000_000
      return watch.isDisturbed(
        scenario(index), from: start, to: watch.reading(workers: used), by: DropRule())
    }
  }

  @Test(
    arguments: [
      // A burst, and bursts one after another.
      ([0, 0, 90, 0, 0], 80, [2]),
      ((0..<30).map { $0 % 3 == 2 ? 70 : 0 }, 80, (0..<30).filter { $0 % 3 == 2 }),
      // What lasts is usual, and soon also what lasts from some time on.
      (Array(repeating: 100, count: 9), 80, []),
      (Array(repeating: 0, count: 4) + Array(repeating: 110, count: 20), 80, [4, 5, 6, 7]),
      // Some ticks; and however much the contenders take themselves.
      ([0, 10, 20, 0, 40, 10, 50, 0], 80, []), ([0, 0, 0], 190, []),
    ] as [([Int], Int, [Int])])
  func `only a burst above the usual share is a disturbance`(others: [Int], workers: Int, rounds: [Int]) {
    let found = disturbed(others, workers: workers)
    #expect(found.indices.filter { found[$0] } == rounds)
  }

  /// One has a server beside it, another has not.
  @Test func `the usual share is kept per scenario`() {
    #expect(!disturbed([0, 100, 0, 100, 0, 100]) { $0 % 2 == 0 ? "alone" : "served" }.contains(true))
  }

  @Test func `unknown readings disturb nothing`() {
    let machine = Machine()
    var watch = machine.others()
    func isDisturbed(_ start: OtherProcesses.Reading?, _ end: OtherProcesses.Reading?) -> Bool {
      watch.isDisturbed("s", from: start, to: end, by: DropRule())
    }
    let start = watch.reading(workers: 0)
    machine.pass(milliseconds: 100, busy: 0, own: 0)
    let quiet = watch.reading(workers: 0)
    #expect(!isDisturbed(start, quiet))
    machine.pass(milliseconds: 100, busy: 200, own: 0)
    let busy = watch.reading(workers: 0)
    #expect(watch.reading(workers: nil) == nil)
    #expect(!isDisturbed(quiet, nil) && !isDisturbed(nil, busy))
    // A worker that was replaced has used less.
    #expect(!isDisturbed(watch.reading(workers: 50), busy))
    #expect(isDisturbed(quiet, busy))
    #expect(OtherProcesses(MachineFiles { _ in nil }, clock: .monotonic).reading(workers: 0) == nil)
  }

  private static let stat =
    "cpu  30 0 3 9 9 0 0 0 0 0\ncpu0 10 0 0 9 9 0 0 0 0 0\ncpu1 15 0 1 9 9 0 0 0 0 0\ncpu10 4 0 1 9 9 0 0 0 0 0\nintr 7\n"

  @Test(
    arguments: [
      // Rounded once, as the kernel sums them.
      (nil, 330, 3), ([0, 1, 10], 330, 3), ([0, 10], 150, 2), ([1], 160, 1),
    ] as [([Int]?, UInt64, Int)])
  func `only allowed processors count`(processors: [Int]?, milliseconds: UInt64, count: Int) {
    #expect(
      BusyTime.now(MachineFiles { _ in Self.stat }, of: processors)
        == BusyTime(nanoseconds: milliseconds * 1_000_000, processors: count))
  }

  @Test(arguments: ["", "cpu  1 2 3\ncpu0 1 2 3\n", "cpu  1 2 3 4 5 6 7 8 9 10\nintr 1\n"])
  func `any other text is unknown`(stat: String) {
    #expect(BusyTime.now(MachineFiles { _ in stat }, of: nil) == nil)
  }

  #if os(Linux)
    @Test func `a process's CPU time is known`() throws {
      let used = try #require(ProcessClock.nanoseconds(of: getpid()))
      let later = try #require(ProcessClock.nanoseconds(of: getpid()))
      #expect(used > 0 && later >= used)
    }
  #endif
}
