import ReactiveStreams
import Synchronization
import TestSupport
import Testing

/// The kit itself: it must find subscribers that break rules on purpose.
@Suite("The kit finds broken subscribers", .ownThread) struct SubscriberVerificationTests {
  typealias Kit = SubscriberVerification<Int, any Error>

  /// Correct subscribers are in `SubscriberRulesTests`.
  @Test(arguments: Kit.rules.map(\.name)) func `each rule has a subscriber that breaks it`(_ rule: String) {
    let flaws: [BrokenSubscriber.Flaw] = rule.hasPrefix("2.13") ? [.blocks] : [.silent, .reckless]
    let found = flaws.flatMap { flaw in
      let kit = Kit(
        timeout: .milliseconds(20), makeFailure: { TestError() }, makeValue: { 1 },
        attach: { publisher, user in
          let subscriber = BrokenSubscriber(flaw, user)
          publisher.subscribe(subscriber)
          return .init(cancel: subscriber.cancel)
        })
      return kit.violations(of: rule).map(\.rule)
    }
    #expect(found.contains(Specification.number(ofCheck: rule)))
  }
}

private final class BrokenSubscriber: Subscriber {
  enum Flaw { case silent, reckless, blocks }

  private let subscription = Mutex<(any Subscription)?>(nil)
  private let flaw: Flaw
  private let user: SubscriberVerification<Int, any Error>.User

  init(_ flaw: Flaw, _ user: SubscriberVerification<Int, any Error>.User) {
    (self.flaw, self.user) = (flaw, user)
  }

  @Sendable func cancel() { subscription.withLock { $0 }?.cancel() }

  func receive(subscription: any Subscription) {
    self.subscription.withLock { $0 = subscription }
    if flaw != .silent { subscription.request(.max(1)) }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    if flaw == .blocks { _ = Log<Int>().wait(for: 1) }
    if flaw == .reckless { user.receive() }
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    guard flaw == .reckless else { return }
    cancel()
    subscription.withLock { $0 }?.request(.max(1))
    user.end()
  }
}
