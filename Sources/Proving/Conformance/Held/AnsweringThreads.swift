import RawThreads
import Synchronization

/// A few threads on which a service answers, several at once.
final class AnsweringThreads: Sendable {
  private struct Line {
    var work: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private final class Lane: Sendable {
    let line = Mutex(Line())
    let parker = Parker()

    func run() {
      while true {
        let (work, isClosed) = line.withLock { line in
          defer { line.work = [] }
          return (line.work, line.isClosed)
        }
        for body in work { body() }
        if work.isEmpty {
          if isClosed { return }
          parker.park()
        }
      }
    }
  }

  private let lanes: [Lane]
  private let turn = Atomic<Int>(0)

  init(count: Int) {
    lanes = (0..<count).map { _ in Lane() }
    for (number, lane) in lanes.enumerated() {
      _ = RawThread(name: "conformance-service-\(number)") { lane.run() }
    }
  }

  /// Has one of the threads do it, each in turn.
  func submit(_ body: @escaping @Sendable () -> Void) {
    let lane = lanes[turn.add(1, ordering: .relaxed).oldValue % lanes.count]
    lane.line.withLock { $0.work.append(body) }
    lane.parker.unpark()
  }

  /// Has the threads do all of it at once, each its share, and returns without waiting for them.
  func burst(_ bodies: [@Sendable () -> Void]) {
    for (number, lane) in lanes.enumerated() {
      let share = stride(from: number, to: bodies.count, by: lanes.count).map { bodies[$0] }
      lane.line.withLock { $0.work += share }
    }
    for lane in lanes { lane.parker.unpark() }
  }

  /// Lets the threads end when they have done what was given to them.
  func close() {
    for lane in lanes {
      lane.line.withLock { $0.isClosed = true }
      lane.parker.unpark()
    }
  }
}
