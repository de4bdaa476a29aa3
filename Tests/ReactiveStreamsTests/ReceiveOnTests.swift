import Dispatch
import ReactiveStreams
import Synchronization
import TestSupport
import Testing

@Suite("Receive on and subscribe on", .ownThread) struct ReceiveOnTests {
  @Test func `signals come from the scheduler, in order`() {
    let scheduler = TestScheduler()
    let probe = Probe<Int, Never>()
    (0..<3).publisher.receive(on: scheduler).subscribe(probe)
    probe.request(.max(2))
    #expect(probe.values.isEmpty)
    scheduler.advance()
    #expect(probe.values == [0, 1])
    probe.request(.max(1))
    scheduler.advance()
    #expect(probe.values == [0, 1, 2] && probe.completion == .finished)
  }

  @Test func `the thread that subscribes is never the one that sends`() {
    let queue = DispatchQueue(label: "elsewhere")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    for _ in 0..<2_000 {
      let isElsewhere = Log<Bool>()
      let sink = Just(1).receive(on: queue).sink { _ in
        isElsewhere.append(DispatchQueue.getSpecific(key: key) == true)
      }
      #expect(isElsewhere.wait(for: 1) == [true])
      withExtendedLifetime(sink) {}
    }
  }

  @Test func `values that have come by its turn are sent in one action, later ones in another`() {
    let scheduler = SteppedScheduler()
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>(onValue: { _, value in
      if value == 1 { subject.send(3) }
      return .none
    })
    subject.receive(on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    for value in 0..<3 { subject.send(value) }
    #expect(scheduler.actionCount == 1 && probe.values == [])
    scheduler.step()
    #expect(scheduler.actionCount == 1 && probe.values == [0, 1, 2])
    subject.send(completion: .finished)
    scheduler.step()
    #expect(scheduler.actionCount == 0 && probe.values == [0, 1, 2, 3] && probe.completion == .finished)
  }

  @Test func `a last value and the end take one action`() {
    let scheduler = SteppedScheduler()
    let probe = Probe<Int, Never>()
    Just(1).receive(on: scheduler).subscribe(probe)
    probe.request(.max(1))
    #expect(scheduler.actionCount == 1)
    scheduler.step()
    #expect(probe.values == [1] && probe.completion == .finished)
  }

  @Test
  func `a cancellation releases the subscriber and waiting values, although the scheduler has stopped`() {
    let scheduler = SteppedScheduler()
    let subject = PassthroughSubject<Counter, Never>()
    weak var probe: Probe<Counter, Never>?
    weak var value: Counter?
    let subscription: (any Subscription)?
    do {
      let (made, sent) = (Probe<Counter, Never>(), Counter())
      (probe, value) = (made, sent)
      subject.receive(on: scheduler).subscribe(made)
      made.request(.unlimited)
      subject.send(sent)
      subscription = made.subscription
    }
    #expect(probe != nil && value != nil)
    subscription?.cancel()
    #expect(probe == nil && value == nil)
    scheduler.step()
  }

  /// Sends a value, and forgets the subscriber.
  private struct Forgetful: Publisher {
    typealias Failure = Never
    let value: Counter

    func receive<S: Subscriber>(subscriber: S) where S.Input == Counter, S.Failure == Never {
      var subscriber = subscriber
      subscriber.receive(subscription: Subscriptions.empty)
      _ = subscriber.receive(value)
    }

    typealias Output = Counter
  }

  /// Keeps a token, and no subscription.
  private struct Holder: Subscriber {
    let token: Counter
    func receive(subscription: any Subscription) { subscription.request(.unlimited) }
    func receive(_ input: Counter) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func `a stream whose action a scheduler drops is silent, and can be cancelled`() {
    weak var value: Counter?
    let (scheduler, subject, probe) = (
      SteppedScheduler(), PassthroughSubject<Counter, Never>(), Probe<Counter, Never>()
    )
    subject.receive(on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    do {
      let sent = Counter()
      value = sent
      subject.send(sent)
    }
    scheduler.forget()
    subject.send(completion: .finished)
    #expect(scheduler.actionCount == 0 && probe.values.isEmpty && probe.completion == nil && value != nil)
    probe.cancel()
    #expect(value == nil)
  }

  @Test func `a dropped stream releases the subscriber and waiting values`() {
    weak var subscriber: Counter?
    weak var value: Counter?
    do {
      let (token, sent) = (Counter(), Counter())
      (subscriber, value) = (token, sent)
      let scheduler = SteppedScheduler()
      Forgetful(value: sent).receive(on: scheduler).subscribe(Holder(token: token))
      #expect(scheduler.actionCount == 1)
      scheduler.forget()
    }
    #expect(subscriber == nil && value == nil)
  }

  @Test func `values of many threads come one at a time and all of them, on a concurrent queue`() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let got = Log<Int>()
    let probe = Probe<Int, Never>(onValue: { _, value in
      got.append(value)
      return .none
    })
    subjects.merge().receive(on: DispatchQueue.global()).subscribe(probe)
    probe.request(.unlimited)
    onThreads(4) { thread in for value in 0..<500 { subjects[thread].send(1_000 * thread + value) } }
    let all = got.wait(for: 2_000)
    for thread in 0..<4 {
      #expect(all.filter { $0 / 1_000 == thread } == (0..<500).map { 1_000 * thread + $0 })
    }
    #expect(probe.violations == [])
  }

  @Test func `subscriptions and requests happen on the scheduler`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.subscribe(on: scheduler).subscribe(probe)
    probe.request(.max(2))
    #expect(upstream.subscriptions == 0)
    scheduler.advance()
    #expect(upstream.subscriptions == 1 && upstream.requested == .max(2))
  }

  @Test func `after a cancellation before the subscription no signal comes`() {
    let scheduler = TestScheduler()
    let probe = Probe<Int, Never>()
    (0..<3).publisher.subscribe(on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    probe.cancel()
    scheduler.advance()
    #expect(probe.values.isEmpty && probe.completion == nil)
  }
}

/// Runs one action per call of `step`.
private final class SteppedScheduler: Scheduler {
  private let actions = Mutex<[@Sendable () -> Void]>([])

  var actionCount: Int { actions.withLock { $0.count } }
  var now: Duration { .zero }

  func schedule(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    schedule(action)
    return AnyCancellable {}
  }

  func forget() {
    let forgotten = actions.withLock { $0 }
    actions.withLock { $0 = [] }
    withExtendedLifetime(forgotten) {}
  }

  func step() {
    let action = actions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    action?()
  }
}
