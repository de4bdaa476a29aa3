import Foundation
import ReactiveStreams
import Synchronization

extension SubscriberVerification {
  /// All rules, in the order of the specification.
  public static var rules: [Rule] { demandRules + endRules + cancellationRules }

  private static var demandRules: [Rule] {
    [
      Rule(name: "2.1 asks before it gets") { kit in
        let session = kit.start()
        return kit.deliver("2.1", to: session)
          + kit.expect("2.1", "the value did not reach the user") { session.user.values == 1 }
      },
      Rule(name: "2.13 every signal returns") { kit in
        let session = kit.start()
        let flag = ReturnFlag()
        DispatchQueue.global().async {
          _ = kit.deliver("2.13", to: session)
          if kit.largestCount > 1 { session.upstream.send(completion: .finished) }
          flag.set()
        }
        return kit.expect("2.13", "a signal did not return") { flag.isSet }
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
          _ = kit.wait { session.upstream.mayBeSent }
          session.upstream.send(completion: end)
          let calls = session.upstream.link?.callsInsideEnd ?? 0
          return calls == 0 ? [] : [Violation(rule: "2.3", "\(calls) calls came from inside the end")]
        }
      },
      Rule(name: "2.4 asks for nothing after the end") { kit in
        let session = kit.start()
        session.handle.pull()
        let broken = kit.expect("2.4", "the subscriber does not ask for a value") {
          session.upstream.mayBeSent
        }
        let before = session.upstream.link?.requested
        session.upstream.send(completion: .finished)
        session.handle.pull()
        let ended = kit.expect("2.4", "the end did not reach the user") { session.user.ends == 1 }
        let asked = session.upstream.link?.requested != before
        return broken + ended + (asked ? [Violation(rule: "2.4", "the subscriber asked after the end")] : [])
      },
      Rule(name: "2.9 an end with and without a request before it") { kit in
        [false, true].flatMap { asks in
          let session = kit.start()
          if asks { session.handle.pull() }
          session.upstream.send(completion: .finished)
          if !asks { session.handle.pull() }
          return kit.expect("2.9", "the end did not reach the user") { session.user.ends == 1 }
        }
      },
      Rule(name: "2.10 a failure with and without a request before it") { kit in
        guard let makeFailure = kit.makeFailure else { return [] }
        return [false, true].flatMap { asks in
          let session = kit.start()
          if asks { session.handle.pull() }
          session.upstream.send(completion: .failure(makeFailure()))
          if !asks { session.handle.pull() }
          return kit.expect("2.10", "the failure did not reach the user") { session.user.ends == 1 }
        }
      },
    ]
  }

  private static var cancellationRules: [Rule] {
    [
      Rule(name: "2.5 a second subscription is cancelled, the first goes on") { kit in
        let session = kit.start()
        let second = session.upstream.subscribeAgain()
        let refused =
          second.cancellations == 0
          ? [Violation(rule: "2.5", "the second subscription was not cancelled")] : []
        let touched =
          second.requested > .none
          ? [Violation(rule: "2.5", "the second subscription was asked for values")] : []
        return refused + touched + kit.deliver("2.5", to: session)
          + kit.expect("2.5", "the first subscription did not go on") { session.user.values == 1 }
      },
      Rule(name: "2.6 cancelling reaches the subscription, once") { kit in
        let session = kit.start()
        session.handle.pull()
        session.handle.cancel()
        session.handle.cancel()
        return kit.expect("2.6", "\(session.upstream.link?.cancellations ?? 0) cancellations came") {
          session.upstream.link?.cancellations == 1
        }
      },
      Rule(name: "2.8 values after a cancellation are tolerated and go nowhere") { kit in
        let session = kit.start()
        session.handle.pull()
        session.handle.cancel()
        let ends = kit.endsOnCancel ? 1 : 0
        var broken = kit.expect("2.8", "the cancellation did not end the user") { session.user.ends == ends }
        session.upstream.send(kit.makeValue())
        session.upstream.send(completion: .finished)
        if session.user.values > 0 { broken.append(Violation(rule: "2.8", "the value reached the user")) }
        if session.user.ends > ends { broken.append(Violation(rule: "2.8", "the end reached the user")) }
        return broken
      },
    ]
  }
}

/// Set by one thread, seen by another.
private final class ReturnFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
