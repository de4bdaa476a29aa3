import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("Schedulers", .ownThread) struct SchedulerTests {
  static let schedulers: [any Scheduler] = [
    DispatchQueue(label: "test"), ImmediateScheduler.shared,
  ]

  @Test(arguments: schedulers) func `actions run, now and later`(_ scheduler: any Scheduler) {
    let log = Log<Int>()
    scheduler.schedule { log.append(1) }
    let timer = scheduler.schedule(after: .milliseconds(1)) { log.append(2) }
    #expect(log.wait(for: 2).sorted() == [1, 2])
    withExtendedLifetime(timer) {}
  }

  @Test(arguments: [DispatchQueue(label: "test"), TestScheduler()] as [any Scheduler])
  func `a cancelled action is released at once`(_ scheduler: any Scheduler) {
    weak var dropped: Log<Int>?
    do {
      let log = Log<Int>()
      dropped = log
      scheduler.schedule(after: .seconds(3600)) { log.append(1) }.cancel()
    }
    #expect(dropped == nil)
  }

  @Test func `virtual time runs actions in order of time, then of scheduling, and never goes back`() {
    let scheduler = TestScheduler()
    let log = Log<String>()
    let timers = [(2, "late"), (1, "early"), (1, "early, later")].map { delay, name in
      scheduler.schedule(after: .seconds(delay)) {
        log.append("\(name) at \(scheduler.now.components.seconds)")
        scheduler.advance(by: .seconds(delay == 1 ? 0 : 5))
      }
    }
    scheduler.advance(by: .seconds(2))
    #expect(log.entries == ["early at 1", "early, later at 1", "late at 2"])
    #expect(scheduler.now == .seconds(7))
    withExtendedLifetime(timers) {}
  }
}
