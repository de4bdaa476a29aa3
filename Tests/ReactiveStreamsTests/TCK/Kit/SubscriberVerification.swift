import Foundation
import ReactiveStreams
import Synchronization

/// The specification's rules for subscribers, run against one kind of subscriber: a sink, or an operator between a publisher
/// and its user.
struct SubscriberVerification<Input: Sendable, Failure: Error>: Verification {
  /// Counts the signals that reach the subscriber's user.
  final class User: Sendable {
    private let counts = Mutex((values: 0, ends: 0))

    /// Call it for each value that the subscriber passes on.
    func receive() { counts.withLock { $0.values += 1 } }
    /// Call it when the subscriber reports the end, or a failure.
    func end() { counts.withLock { $0.ends += 1 } }

    var values: Int { counts.withLock { $0.values } }
    var ends: Int { counts.withLock { $0.ends } }
  }

  /// The controls of an attached subscriber.
  struct Handle: Sendable {
    /// Makes the subscriber request a value, if it does so only when it is used.
    var pull: @Sendable () -> Void = {}
    let cancel: @Sendable () -> Void
  }

  /// How many values the subscriber takes before it cancels.
  var largestCount = Int.max
  /// Whether cancelling also ends the user; true for subscribers that return a result.
  var endsOnCancel = false
  /// How long a check waits for another thread.
  var timeout = Duration.seconds(10)
  /// Makes a failure; `nil` where there can be none.
  var makeFailure: (@Sendable () -> Failure)?
  let makeValue: @Sendable () -> Input
  let attach: @Sendable (AnyPublisher<Input, Failure>, User) -> Handle

  // MARK: Helpers for the rules

  typealias Upstream = ManualPublisher<Input, Failure>

  /// A subscriber attached to a publisher of its own.
  struct Session: Sendable {
    let upstream: Upstream
    let user: User
    let handle: Handle
  }

  func start(_ upstream: Upstream = Upstream()) -> Session {
    let user = User()
    let handle = attach(upstream.eraseToAnyPublisher(), user)
    return Session(upstream: upstream, user: user, handle: handle)
  }

  func expect(_ rule: String, _ finding: @autoclosure () -> String, _ condition: () -> Bool) -> [Violation] {
    expect(wait(upTo: timeout, until: condition), rule, finding())
  }

  /// Sends a value as soon as it is requested.
  func deliver(_ rule: String, to session: Session) -> [Violation] {
    session.handle.pull()
    let broken = expect(rule, "the subscriber requests no value") { session.upstream.mayBeSent }
    if broken.isEmpty { session.upstream.send(makeValue()) }
    return broken
  }
}

extension SubscriberVerification {
  static var rules: [Rule] { demandRules + endRules + cancellationRules }

  private static var demandRules: [Rule] {
    [
      Rule(name: "2.1 requests before it receives") { kit in
        let session = kit.start()
        return kit.deliver("2.1", to: session)
          + kit.expect("2.1", "the value did not reach the user") { session.user.values == 1 }
      },
      Rule(name: "2.13 every signal returns") { kit in
        let session = kit.start()
        let hasReturned = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          _ = kit.deliver("2.13", to: session)
          if kit.largestCount > 1 { session.upstream.send(completion: .finished) }
          hasReturned.signal()
        }
        let deadline = DispatchTime.now() + kit.timeout / .seconds(1)
        return kit.expect(hasReturned.wait(timeout: deadline) == .success, "2.13", "a signal did not return")
      },
      Rule(name: "3.8 goes on requesting") { kit in
        let session = kit.start()
        let count = min(5, kit.largestCount)
        return (0..<count).flatMap { _ in kit.deliver("3.8", to: session) }
          + kit.expect("3.8", "\(count) values were due, \(session.user.values) came") {
            session.user.values == count
          }
      },
      Rule(name: "3.10 values inside a request are taken") { kit in
        let session = kit.start(Upstream(insideRequest: { $0.send(kit.makeValue()) }))
        session.handle.pull()
        return kit.expect("3.10", "the value did not reach the user") { session.user.values == 1 }
      },
      Rule(name: "3.11 an end inside a request is taken") { kit in
        let session = kit.start(Upstream(insideRequest: { $0.send(completion: .finished) }))
        session.handle.pull()
        return kit.expect("3.11", "the end did not reach the user") { session.user.ends == 1 }
      },
    ]
  }

  private static var endRules: [Rule] {
    let ends: @Sendable (SubscriberVerification) -> [Subscribers.Completion<Failure>] = { kit in
      [.finished] + (kit.makeFailure.map { [.failure($0())] } ?? [])
    }
    return [
      Rule(name: "2.3 leaves the subscription alone inside the end") { kit in
        ends(kit).flatMap { end in
          let session = kit.start()
          session.handle.pull()
          _ = wait(upTo: kit.timeout) { session.upstream.mayBeSent }
          session.upstream.send(completion: end)
          let calls = session.upstream.callsInsideEnd
          return kit.expect(calls == 0, "2.3", "\(calls) calls came from inside the end")
        }
      },
      Rule(name: "2.4 requests nothing after the end") { kit in
        let session = kit.start()
        session.handle.pull()
        let broken = kit.expect("2.4", "the subscriber requests no value") { session.upstream.mayBeSent }
        let before = session.upstream.requested
        session.upstream.send(completion: .finished)
        session.handle.pull()
        let ended = kit.expect("2.4", "the end did not reach the user") { session.user.ends == 1 }
        let after = session.upstream.requested
        return broken + ended + kit.expect(after == before, "2.4", "the subscriber requested after the end")
      },
      Rule(name: "2.9 an end with and without a request before it") { kit in
        kit.expectHeard("2.9", "end", .finished)
      },
      Rule(name: "2.10 a failure with and without a request before it") { kit in
        kit.makeFailure.map { kit.expectHeard("2.10", "failure", .failure($0())) } ?? []
      },
    ]
  }

  /// Ends a stream with a request for a value, and one without.
  private func expectHeard(
    _ rule: String, _ what: String, _ end: Subscribers.Completion<Failure>
  ) -> [Violation] {
    [false, true].flatMap { requests in
      let session = start()
      if requests { session.handle.pull() }
      session.upstream.send(completion: end)
      if !requests { session.handle.pull() }
      return expect(rule, "the \(what) did not reach the user") { session.user.ends == 1 }
    }
  }

  private static var cancellationRules: [Rule] {
    [
      Rule(name: "2.5 a second subscription is cancelled, the first goes on") { kit in
        let session = kit.start()
        let second = Upstream()
        session.upstream.subscriber?.receive(subscription: second)
        return kit.expect(second.cancellations > 0, "2.5", "the second subscription was not cancelled")
          + kit.expect(second.requested == .none, "2.5", "the second subscription got a request")
          + kit.deliver("2.5", to: session)
          + kit.expect("2.5", "the first subscription did not go on") { session.user.values == 1 }
      },
      Rule(name: "2.6 cancelling reaches the subscription, once") { kit in
        let session = kit.start()
        session.handle.pull()
        session.handle.cancel()
        session.handle.cancel()
        return kit.expect("2.6", "\(session.upstream.cancellations) cancellations came") {
          session.upstream.cancellations == 1
        }
      },
      Rule(name: "2.8 values after a cancellation are tolerated and dropped") { kit in
        let session = kit.start()
        session.handle.pull()
        let subscriber = session.upstream.subscriber
        session.handle.cancel()
        let ends = kit.endsOnCancel ? 1 : 0
        let ended = kit.expect("2.8", "the cancellation did not end the user") { session.user.ends == ends }
        _ = subscriber?.receive(kit.makeValue())
        subscriber?.receive(completion: .finished)
        return ended + kit.expect(session.user.values == 0, "2.8", "the value reached the user")
          + kit.expect(session.user.ends <= ends, "2.8", "the end reached the user")
      },
    ]
  }
}
