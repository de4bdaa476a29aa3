import Foundation
import ReactiveStreams
import Synchronization

/// The specification's rules for subscribers, run against one kind of subscriber: a sink, or whatever stands
/// between a publisher and its user.
///
///     let kit = SubscriberVerification<Int, Never>(makeValue: { 1 }) { publisher, user in
///       let sink = publisher.sink { _ in user.receive() } receiveCompletion: { _ in user.end() }
///       return .init(cancel: sink.cancel)
///     }
///     #expect(kit.violations() == [])
struct SubscriberVerification<Input: Sendable, Failure: Error>: Verification {
  /// Where what a subscriber has got goes on to; a check reads it.
  final class User: Sendable {
    private let counts = Mutex((values: 0, ends: 0))

    /// Call it with each value that the subscriber hands on.
    func receive() { counts.withLock { $0.values += 1 } }
    /// Call it when the subscriber says that the stream has ended, or failed.
    func end() { counts.withLock { $0.ends += 1 } }

    var values: Int { counts.withLock { $0.values } }
    var ends: Int { counts.withLock { $0.ends } }
  }

  /// How to handle a subscriber that was attached.
  struct Handle: Sendable {
    /// Makes the subscriber ask, if it asks only when it is used.
    var pull: @Sendable () -> Void = {}
    /// Makes the subscriber cancel.
    let cancel: @Sendable () -> Void
  }

  /// How many values the subscriber takes before it cancels.
  var largestCount = Int.max
  /// Whether cancelling ends the user too, as it does for those that wait for a result.
  var endsOnCancel = false
  /// How long a check waits for something that has to happen on another thread.
  var patience = Duration.seconds(10)
  /// Makes a failure; `nil` where there can be none.
  var makeFailure: (@Sendable () -> Failure)?
  /// Makes a value to send to it.
  let makeValue: @Sendable () -> Input
  /// Attaches a new subscriber to a publisher.
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

  /// Waits for a condition that another thread brings about.
  func expect(_ rule: String, _ finding: @autoclosure () -> String, _ condition: () -> Bool) -> [Violation] {
    expect(wait(upTo: patience, until: condition), rule, finding())
  }

  /// Sends a value as soon as it is asked for.
  func deliver(_ rule: String, to session: Session) -> [Violation] {
    session.handle.pull()
    let broken = expect(rule, "the subscriber does not ask for a value") { session.upstream.mayBeSent }
    if broken.isEmpty { session.upstream.send(makeValue()) }
    return broken
  }
}

extension SubscriberVerification {
  /// All rules, in the order of the specification.
  static var rules: [Rule] { demandRules + endRules + cancellationRules }

  private static var demandRules: [Rule] {
    [
      Rule(name: "2.1 asks before it gets") { kit in
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
        let deadline = DispatchTime.now() + kit.patience / .seconds(1)
        return kit.expect(hasReturned.wait(timeout: deadline) == .success, "2.13", "a signal did not return")
      },
      Rule(name: "3.8 goes on asking") { kit in
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
          _ = wait(upTo: kit.patience) { session.upstream.mayBeSent }
          session.upstream.send(completion: end)
          let calls = session.upstream.callsInsideEnd
          return kit.expect(calls == 0, "2.3", "\(calls) calls came from inside the end")
        }
      },
      Rule(name: "2.4 asks for nothing after the end") { kit in
        let session = kit.start()
        session.handle.pull()
        let broken = kit.expect("2.4", "the subscriber does not ask for a value") {
          session.upstream.mayBeSent
        }
        let before = session.upstream.requested
        session.upstream.send(completion: .finished)
        session.handle.pull()
        let ended = kit.expect("2.4", "the end did not reach the user") { session.user.ends == 1 }
        let after = session.upstream.requested
        return broken + ended + kit.expect(after == before, "2.4", "the subscriber asked after the end")
      },
      Rule(name: "2.9 an end with and without a request before it") { kit in
        kit.expectHeard("2.9", "end", .finished)
      },
      Rule(name: "2.10 a failure with and without a request before it") { kit in
        kit.makeFailure.map { kit.expectHeard("2.10", "failure", .failure($0())) } ?? []
      },
    ]
  }

  /// Ends a stream that was asked for a value, and one that was not.
  private func expectHeard(
    _ rule: String, _ what: String, _ end: Subscribers.Completion<Failure>
  ) -> [Violation] {
    [false, true].flatMap { asks in
      let session = start()
      if asks { session.handle.pull() }
      session.upstream.send(completion: end)
      if !asks { session.handle.pull() }
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
          + kit.expect(second.requested == .none, "2.5", "the second subscription was asked for values")
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
      Rule(name: "2.8 values after a cancellation are tolerated and go nowhere") { kit in
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
