import RawThreads

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

  /// Has the threads do all of it at once, and returns without waiting for them.
  func burst(_ bodies: [@Sendable () -> Void]) { work.push(bodies) }

  /// Lets the threads end when they have done what was given to them.
  func close() { work.close() }
}
