import Foundation
import RawThreads
import Synchronization

/// The threads of the simulated service, which answer requests.
final class AnsweringThreads: Sendable {
  private let work = WorkQueue<@Sendable () -> Void>()
  let side = SideThread()

  init(count: Int) {
    for number in 0..<count {
      _ = RawThread(name: "conformance-service-\(number)") { [work] in
        let parker = Parker()
        while let body = work.pop(waitingOn: parker) { body() }
      }
    }
  }

  func submit(_ body: @escaping @Sendable () -> Void) { work.push(body) }

  /// Submits all bodies and returns without waiting. The first two start as simultaneously as threads allow.
  func atOnce(_ bodies: [@Sendable () -> Void]) {
    let line = StartLine(min(bodies.count, 2))
    work.push(
      bodies.prefix(line.count).map { body in
        {
          line.wait()
          body()
        }
      })
    work.push(Array(bodies.dropFirst(line.count)))
  }

  func close() {
    work.close()
    side.close()
  }
}

/// A thread that answers requests while other threads wait for it inside calls of the contender.
final class SideThread: Sendable {
  private let work = WorkQueue<@Sendable () -> Void>()
  private let thread = Atomic<UInt>(0)

  fileprivate init() {
    _ = RawThread(name: "conformance-side") { [self] in
      thread.store(Self.current, ordering: .relaxed)
      let parker = Parker()
      while let body = work.pop(waitingOn: parker) { body() }
    }
  }

  /// Runs the body on this thread and waits for its end. Returns false on a timeout. If called on this thread, does not wait.
  func perform(within milliseconds: UInt64, _ body: @escaping @Sendable () -> Void) -> Bool {
    if thread.load(ordering: .relaxed) == Self.current {
      work.push(body)
      return true
    }
    let parker = Parker()
    work.push {
      body()
      parker.unpark()
    }
    return parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + milliseconds * 1_000_000)
  }

  fileprivate func close() { work.close() }

  static var current: UInt { UInt(bitPattern: pthread_self().hashValue) }
}

/// A barrier that lets threads continue at the same moment. A thread spins for at most 60 µs.
private final class StartLine: Sendable {
  let count: Int
  private let arrived = Atomic(0)

  init(_ count: Int) { self.count = count }

  func wait() {
    let end = MonotonicClock.nanoseconds() + 60_000
    arrived.add(1, ordering: .acquiringAndReleasing)
    var looks = 0
    while arrived.load(ordering: .acquiring) < count {
      looks += 1
      if looks % 64 == 0, MonotonicClock.nanoseconds() >= end { return }
    }
    // Some races occur only if one thread is some hundred nanoseconds late.
    for _ in 0..<Int.random(in: 0..<256) where arrived.load(ordering: .acquiring) < count { return }
  }
}
