import ReactiveStreams
import Synchronization
import TestSupport
import Testing

/// The kit itself: subscribers that break a rule on purpose must be found out.
@Suite("The kit finds broken subscribers", .ownThread)
struct SubscriberVerificationTests {
  typealias Kit = SubscriberVerification<Int, any Error>

  @Test(arguments: Kit.rules.map(\.name))
  func `a subscriber without a flaw breaks no rule`(_ rule: String) {
    #expect(kit(nil).violations(of: rule) == [])
  }

  @Test func `each rule has a subscriber that breaks it`() {
    #expect(Set(flaws.map(\.rule)) == Set(Kit.rules.map(\.name)))
  }

  @Test(arguments: flaws)
  func `the kit finds`(_ flaw: FlawOfSubscriber) {
    let found = Set(kit(flaw).violations(of: flaw.rule).map(\.rule))
    #expect(found == [Specification.number(ofCheck: flaw.rule)])
  }

  private func kit(_ flaw: FlawOfSubscriber?) -> Kit {
    Kit(
      patience: flaw == nil ? .seconds(10) : .milliseconds(20), makeFailure: { TestError() },
      makeValue: { 1 }
    ) { publisher, user in
      let subscriber = FlawedSubscriber(flaw, user)
      publisher.subscribe(subscriber)
      return .init {
        subscriber.pull()
      } cancel: {
        subscriber.cancel()
      }
    }
  }
}

private let flaws = FlawOfSubscriber.allCases

enum FlawOfSubscriber: CaseIterable, Sendable {
  case neverAsks, cancelsInsideEnd, asksAfterEnd, takesSecondSubscription, cancelsTwice, hearsAfterCancel
  case missesEnd, missesFailure, blocks, asksOnce, missesValueInsideRequest, missesEndInsideRequest

  /// The check that has to find it.
  var rule: String {
    switch self {
    case .neverAsks: "2.1 asks before it gets"
    case .cancelsInsideEnd: "2.3 leaves the subscription alone inside the end"
    case .asksAfterEnd: "2.4 asks for nothing after the end"
    case .takesSecondSubscription: "2.5 a second subscription is cancelled, the first goes on"
    case .cancelsTwice: "2.6 cancelling reaches the subscription, once"
    case .hearsAfterCancel: "2.8 values after a cancellation are tolerated and go nowhere"
    case .missesEnd: "2.9 an end with and without a request before it"
    case .missesFailure: "2.10 a failure with and without a request before it"
    case .blocks: "2.13 every signal returns"
    case .asksOnce: "3.8 goes on asking"
    case .missesValueInsideRequest: "3.10 values inside a request are taken"
    case .missesEndInsideRequest: "3.11 an end inside a request is taken"
    }
  }
}

/// Asks for one value at a time, with one flaw.
private final class FlawedSubscriber: Subscriber {
  private struct State {
    var subscription: (any Subscription)?
    var isCancelled = false
    var isAsking = false
  }

  private let state = Mutex(State())
  private let flaw: FlawOfSubscriber?
  private let user: SubscriberVerification<Int, any Error>.User

  init(_ flaw: FlawOfSubscriber?, _ user: SubscriberVerification<Int, any Error>.User) {
    self.flaw = flaw
    self.user = user
  }

  private var current: State { state.withLock { $0 } }

  func cancel() {
    let (isFirst, subscription) = state.withLock { state in
      defer { state.isCancelled = true }
      return (!state.isCancelled, state.subscription)
    }
    if isFirst || flaw == .cancelsTwice { subscription?.cancel() }
  }

  func receive(subscription: any Subscription) {
    let isSecond = state.withLock {
      if $0.subscription != nil, flaw != .takesSecondSubscription { return true }
      $0.subscription = subscription
      return false
    }
    if isSecond { return subscription.cancel() }
    if flaw != .missesValueInsideRequest, flaw != .missesEndInsideRequest { ask() }
  }

  func pull() {
    if flaw == .missesValueInsideRequest || flaw == .missesEndInsideRequest { ask() }
  }

  private func ask() {
    if flaw == .neverAsks { return }
    state.withLock { $0.isAsking = true }
    current.subscription?.request(.max(1))
    state.withLock { $0.isAsking = false }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    if current.isCancelled, flaw != .hearsAfterCancel { return .none }
    if current.isAsking, flaw == .missesValueInsideRequest { return .none }
    if flaw == .blocks { _ = Log<Int>().wait(for: 1) }
    user.receive()
    return flaw == .asksOnce ? .none : .max(1)
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    let now = current
    if now.isCancelled, flaw != .hearsAfterCancel { return }
    if now.isAsking, flaw == .missesEndInsideRequest { return }
    if flaw == .cancelsInsideEnd { now.subscription?.cancel() }
    if flaw == .asksAfterEnd { now.subscription?.request(.max(1)) }
    switch completion {
    case .finished: if flaw != .missesEnd { user.end() }
    case .failure: if flaw != .missesFailure { user.end() }
    }
  }
}
