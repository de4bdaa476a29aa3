import ReactiveStreams
import ReactiveStreamsTCK
import Synchronization
import Testing

/// The kit itself: publishers that break a rule on purpose must be found out.
@Suite("The kit finds what is broken")
struct PublisherVerificationTests {
  private func rules<P: Publisher>(brokenBy kit: PublisherVerification<P>, _ name: String) -> Set<String> {
    let names = PublisherVerification<P>.rules.map(\.name).filter { $0.hasPrefix(name) }
    return Set(names.flatMap { kit.violations(of: $0) }.map(\.rule))
  }

  @Test func `values without demand break 1.1`() {
    let kit = PublisherVerification { Careless(count: $0, flaw: .ignoresDemand) }
    #expect(rules(brokenBy: kit, "1.1 no more").contains("1.1"))
  }

  @Test func `sending inside request breaks 3.3 and 1.3`() {
    let kit = PublisherVerification(largestCount: 100, patience: .milliseconds(20)) {
      Careless(count: $0, flaw: .recurses)
    }
    #expect(rules(brokenBy: kit, "3.3") == ["3.3", "1.3"])
  }

  @Test func `a second end breaks 1.7`() {
    let kit = PublisherVerification { Careless(count: $0, flaw: .endsTwice) }
    #expect(rules(brokenBy: kit, "1.5").contains("1.7"))
  }

  @Test func `keeping the subscriber breaks 3.13`() {
    let kit = PublisherVerification(largestCount: 100, patience: .milliseconds(20)) {
      Careless(count: $0, flaw: .recurses)
    }
    #expect(rules(brokenBy: kit, "3.13").contains("3.13"))
  }

  @Test func `values after a cancellation break 3.6`() {
    let kit = PublisherVerification(largestCount: 100, patience: .milliseconds(20)) {
      Careless(count: $0, flaw: .ignoresCancellation)
    }
    #expect(rules(brokenBy: kit, "3.6").contains("3.6"))
  }
}

/// A publisher with one flaw.
private struct Careless: Publisher {
  enum Flaw { case ignoresDemand, recurses, endsTwice, ignoresCancellation }
  typealias Output = Int
  typealias Failure = Never

  let count: Int
  let flaw: Flaw

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    let erased = AnySubscriber(subscriber)
    let link = CarelessSubscription(count: count, flaw: flaw, subscriber: erased)
    erased.receive(subscription: link)
    guard flaw == .ignoresDemand || flaw == .endsTwice else { return }
    if flaw == .ignoresDemand { for value in 0..<count { _ = erased.receive(value) } }
    erased.receive(completion: .finished)
    if flaw == .endsTwice { erased.receive(completion: .finished) }
  }
}

private final class CarelessSubscription: Subscription {
  let count: Int
  let flaw: Careless.Flaw
  let subscriber: AnySubscriber<Int, Never>
  let sent = Atomic<Int>(0)
  let cancelled = Atomic<Bool>(false)

  init(count: Int, flaw: Careless.Flaw, subscriber: AnySubscriber<Int, Never>) {
    self.count = count
    self.flaw = flaw
    self.subscriber = subscriber
  }

  func request(_ demand: Subscribers.Demand) {
    guard flaw == .recurses || flaw == .ignoresCancellation else { return }
    if flaw == .recurses, cancelled.load(ordering: .relaxed) { return }
    for _ in 0..<min(demand.max ?? count, count) {
      let index = sent.wrappingAdd(1, ordering: .relaxed).newValue
      if index > count { return }
      _ = subscriber.receive(index)
      if index == count { subscriber.receive(completion: .finished) }
    }
  }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
}
