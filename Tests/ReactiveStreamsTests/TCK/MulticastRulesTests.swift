import ReactiveStreams
import ReactiveStreamsTCK
import Synchronization
import TestSupport
import Testing

@Suite("Subjects send the same to all", .ownThread)
struct MulticastRulesTests {
  typealias Passthrough = MulticastVerification<PassthroughSubject<Int, Never>>
  typealias Erased = MulticastVerification<AnyPublisher<Int, Never>>

  @Test(arguments: Passthrough.rules.map(\.name))
  func `a passthrough subject obeys`(_ rule: String) {
    let kit = Passthrough {
      let subject = PassthroughSubject<Int, Never>()
      return .init(subject, send: { subject.send($0) }, finish: { subject.send(completion: .finished) })
    }
    #expect(kit.violations(of: rule) == [])
  }

  @Test(arguments: Erased.rules.map(\.name))
  func `a subject with a value obeys, after that value`(_ rule: String) {
    let kit = Erased {
      let subject = CurrentValueSubject<Int, Never>(-1)
      return .init(
        subject.dropFirst().eraseToAnyPublisher(), send: { subject.send($0) },
        finish: { subject.send(completion: .finished) })
    }
    #expect(kit.violations(of: rule) == [])
  }

  @Test(arguments: FlawOfMulticast.allCases)
  func `the kit finds`(_ flaw: FlawOfMulticast) {
    let kit = MulticastVerification {
      let subject = FlawedMulticast(flaw)
      return .init(subject, send: { subject.send($0) }, finish: { subject.finish() })
    }
    #expect(Set(kit.violations(of: flaw.rule).map(\.rule)).contains("1.11"))
  }

  @Test func `each rule has a publisher that breaks it`() {
    #expect(Set(FlawOfMulticast.allCases.map(\.rule)) == Set(Passthrough.rules.map(\.name)))
  }
}

enum FlawOfMulticast: CaseIterable, Sendable {
  case servesFirstOnly, reversesOrder, forgetsEnd, dropsAllOnCancel

  /// The check that has to find it.
  var rule: String {
    switch self {
    case .servesFirstOnly: "1.11 the same values in the same order, asked for one by one"
    case .reversesOrder: "1.11 the same values in the same order, asked for up front"
    case .forgetsEnd: "1.11 the same values, and then the end"
    case .dropsAllOnCancel: "1.11 who cancels does not disturb the others"
    }
  }
}

/// Sends to several subscribers, asked or not, with one flaw.
private final class FlawedMulticast: Publisher {
  typealias Output = Int
  typealias Failure = Never

  private struct State {
    var subscribers: [AnySubscriber<Int, Never>] = []
    var sent: [Int] = []
  }

  private let state = Mutex(State())
  private let flaw: FlawOfMulticast

  init(_ flaw: FlawOfMulticast) { self.flaw = flaw }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    let erased = AnySubscriber(subscriber)
    state.withLock { $0.subscribers.append(erased) }
    erased.receive(
      subscription: FlawedLink { [self] in
        if flaw == .dropsAllOnCancel { state.withLock { $0.subscribers = [] } }
      })
  }

  func send(_ value: Int) {
    let (subscribers, sent) = state.withLock {
      $0.sent.append(value)
      return ($0.subscribers, $0.sent)
    }
    for (index, subscriber) in subscribers.enumerated() {
      switch flaw {
      case .servesFirstOnly where index > 0: continue
      case .reversesOrder where index > 0:
        if sent.count == 5 { for value in sent.reversed() { _ = subscriber.receive(value) } }
      default: _ = subscriber.receive(value)
      }
    }
  }

  func finish() {
    for (index, subscriber) in state.withLock({ $0.subscribers }).enumerated() {
      if flaw != .forgetsEnd || index == 0 { subscriber.receive(completion: .finished) }
    }
  }
}

private final class FlawedLink: Subscription {
  private let onCancel: @Sendable () -> Void
  init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { onCancel() }
}
