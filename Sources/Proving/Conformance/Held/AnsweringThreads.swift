import Foundation
import RawThreads
import Synchronization

/// A few threads on which a service answers, several at once.
final class AnsweringThreads: Sendable {
  private let work = WorkQueue<@Sendable () -> Void>()
  /// One more, which answers while others wait inside a call.
  let side = SideThread()

  init(count: Int) {
    for number in 0..<count {
      _ = RawThread(name: "conformance-service-\(number)") { [work] in
        let parker = Parker()
        while let body = work.pop(waitingOn: parker) { body() }
      }
    }
  }

  /// One of the threads does it.
  func submit(_ body: @escaping @Sendable () -> Void) { work.push(body) }

  /// The threads do all of it at once, the first two within a fraction of a microsecond where there are processors for them.
  /// Returns at once.
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

  /// The threads end when they have done what was given to them.
  func close() {
    work.close()
    side.close()
  }
}

/// A thread that does something while the caller is inside a call of the contender's, and waits for it there.
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

  /// Does it, and waits for its end, which is false if it has not come in time. On the thread itself it is done later.
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

  /// Tells the calling thread from others.
  static var current: UInt { UInt(bitPattern: pthread_self().hashValue) }
}

/// Threads wait here for each other, awake, so that they go on at the same moment; for 60 µs at most.
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
    // Up to some hundred nanoseconds, since what goes wrong may need one thread to be a little behind the other.
    for _ in 0..<Int.random(in: 0..<256) where arrived.load(ordering: .acquiring) < count { return }
  }
}
