import RawThreads
import Synchronization

/// A few threads on which a service answers, several at once.
final class AnsweringThreads: Sendable {
  private let work = WorkQueue<@Sendable () -> Void>()

  init(count: Int) {
    for number in 0..<count {
      _ = RawThread(name: "conformance-service-\(number)") { [work] in
        let parker = Parker()
        while let body = work.pop(waitingOn: parker) { body() }
      }
    }
  }

  /// Has one of the threads do it.
  func submit(_ body: @escaping @Sendable () -> Void) { work.push(body) }

  /// Has the threads do all of it at once, the first ones within a fraction of a microsecond where there are processors for them,
  /// and returns without waiting for them.
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

  /// Lets the threads end when they have done what was given to them.
  func close() { work.close() }
}

/// Where threads wait for each other, awake, so that they go on at the same moment; not for long, should one not come.
private final class StartLine: Sendable {
  let count: Int
  private let arrived = Atomic(0)

  init(_ count: Int) { self.count = count }

  func wait() {
    let end = MonotonicClock.nanoseconds() + 60_000
    if arrived.add(1, ordering: .acquiringAndReleasing).newValue >= count { return }
    while arrived.load(ordering: .acquiring) < count, MonotonicClock.nanoseconds() < end {}
  }
}
