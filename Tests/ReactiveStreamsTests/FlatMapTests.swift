import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("Flat map", .ownThread) struct FlatMapTests {
  private final class Token: Sendable {}

  /// Jobs that the test answers.
  private struct Jobs: Sendable {
    let started = Log<(Int, Resolver<Int, TestError>)>()
    let cancelled = Log<Int>()

    func job(_ index: Int) -> FromCallback<Int, TestError, Int> {
      FromCallback { [started] resolver in
        started.append((index, resolver))
        return index
      } cancel: { [cancelled] in
        cancelled.append($0)
      }
    }

    func finish(_ index: Int) { started.entries.first { $0.0 == index }?.1.succeed(index) }
    func fail(_ index: Int) { started.entries.first { $0.0 == index }?.1.fail(TestError(number: index)) }
  }

  private func start(_ count: Int, _ keepsOrder: Bool, atMost limit: Int) -> (Jobs, Probe<Int, TestError>) {
    let (jobs, probe) = (Jobs(), Probe<Int, TestError>())
    (0..<count).publisher.setFailureType(to: TestError.self)
      .flatten(keepingOrder: keepsOrder, maxPublishers: .max(limit)) { jobs.job($0) }.subscribe(probe)
    probe.request(.unlimited)
    return (jobs, probe)
  }

  @Test(arguments: [false, true])
  func `no more than the limit run, and the next starts when one ends`(_ keepsOrder: Bool) {
    let (jobs, probe) = start(5, keepsOrder, atMost: 2)
    #expect(jobs.started.entries.map(\.0) == [0, 1])
    jobs.finish(1)
    #expect(jobs.started.entries.map(\.0) == [0, 1, 2])
    for index in [0, 3, 2, 4] { jobs.finish(index) }
    #expect(jobs.started.entries.map(\.0) == [0, 1, 2, 3, 4])
    #expect(probe.values == (keepsOrder ? [0, 1, 2, 3, 4] : [1, 0, 3, 2, 4]))
    #expect(probe.completion == .finished)
  }

  @Test(arguments: [false, true])
  func `the first failure cancels what runs, starts nothing more and ends the stream`(_ keepsOrder: Bool) {
    let (jobs, probe) = start(6, keepsOrder, atMost: 3)
    jobs.fail(1)
    #expect(jobs.cancelled.entries.sorted() == [0, 2])
    #expect(probe.completion == .failure(TestError(number: 1)))
    jobs.fail(0)
    jobs.finish(2)
    #expect(jobs.started.entries.count == 3)
    #expect(probe.values.isEmpty && probe.violations == [])
  }

  @Test(arguments: [false, true])
  func `a cancellation reaches what runs and starts nothing more`(_ keepsOrder: Bool) {
    let (jobs, probe) = start(100, keepsOrder, atMost: 90)
    probe.cancel()
    #expect(jobs.cancelled.entries.sorted() == Array(0..<90))
    jobs.finish(3)
    #expect(jobs.started.entries.count == 90)
    #expect(probe.values.isEmpty && probe.completion == nil)
  }

  @Test func `a failing upstream cancels what runs`() {
    let jobs = Jobs()
    let outer = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    outer.flatMap { jobs.job($0) }.subscribe(probe)
    probe.request(.unlimited)
    outer.send(0)
    outer.send(1)
    outer.send(completion: .failure(TestError(number: 9)))
    #expect(jobs.cancelled.entries.sorted() == [0, 1])
    #expect(probe.completion == .failure(TestError(number: 9)))
  }

  @Test func `without demand each inner publisher gets a request for one value`() {
    let inner = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    Just(0).flatMap { _ in inner }.subscribe(probe)
    #expect(inner.requests == [.max(1)])
    inner.send(1)
    #expect(inner.requests == [.max(1)] && probe.values.isEmpty)
    probe.request(.max(1))
    #expect(inner.requests == [.max(1), .max(1)] && probe.values == [1])
  }

  @Test(arguments: [1, 7, 64, 5000], [false, true])
  func `a limit holds while many threads finish, and nothing is lost`(_ limit: Int, _ keepsOrder: Bool) {
    let (running, peak) = (Counter(), Guarded(0))
    let probe = Probe<Int, Never>()
    (0..<5000).publisher.flatten(keepingOrder: keepsOrder, maxPublishers: .max(limit)) { value in
      FromCallback<Int, Never, Void> { resolver in
        let now = running.add()
        peak.withLock { $0 = max($0, now) }
        DispatchQueue.global().async {
          running.add(-1)
          resolver.succeed(value)
        }
      }
    }.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.wait { $0.completion != nil })
    #expect((keepsOrder ? probe.values : probe.values.sorted()) == Array(0..<5000))
    #expect(probe.violations == [])
    #expect(peak.withLock { $0 } <= limit)
  }

  @Test(arguments: [false, true])
  func `cancelling while many threads finish leaves nothing behind`(_ keepsOrder: Bool) {
    for _ in 0..<200 {
      weak var token: Token?
      let finished = DispatchGroup()
      do {
        let made = Token()
        token = made
        let job: @Sendable (Int) -> FromCallback<Int, Never, Void> = { value in
          FromCallback { resolver in
            finished.enter()
            DispatchQueue.global().async {
              resolver.succeed(value)
              finished.leave()
            }
          }
        }
        let source = (0..<100).publisher
        let cancellable = source.flatten(keepingOrder: keepsOrder, maxPublishers: .max(20), job)
          .sink { _ in _ = made }
        cancellable.cancel()
      }
      finished.wait()
      #expect(token == nil)
    }
  }

  @Test func `one long inner publisher does not keep the memory of short ones`() {
    let tokens = Log<@Sendable () -> Token?>()
    let outer = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>(keepsValues: false)
    outer.flatMap { index -> AnyPublisher<Int, Never> in
      if index == 0 { return Empty(completeImmediately: false).eraseToAnyPublisher() }
      let token = Token()
      tokens.append { [weak token] in token }
      return FromCallback<Int, Never, Token> { resolver in
        resolver.succeed(index)
        return token
      } cancel: { _ in
      }.eraseToAnyPublisher()
    }.subscribe(probe)
    probe.request(.unlimited)
    for index in 0..<1000 { outer.send(index) }
    #expect(probe.valueCount == 999)
    #expect(tokens.entries.allSatisfy { $0() == nil })
  }

  @Test(arguments: [false, true])
  func `a value in turn comes at once, however many came before`(_ keepsOrder: Bool) {
    let outer = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>()
    outer.flatten(keepingOrder: keepsOrder) { Just($0) }.subscribe(probe)
    probe.request(.unlimited)
    for index in 0..<100 {
      outer.send(index)
      #expect(probe.valueCount == index + 1)
    }
  }

  /// Sends three values whatever the demand, and a second subscription if there is one.
  private struct Rude: Publisher {
    typealias Failure = Never
    let second: ManualPublisher<Int, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      let subscriber = AnySubscriber(subscriber)
      subscriber.receive(subscription: Subscriptions.empty)
      if let second { subscriber.receive(subscription: second) }
      for value in 1...3 { _ = subscriber.receive(value) }
    }

    typealias Output = Int
  }

  @Test(arguments: [false, true])
  func `values of an inner publisher beyond the request are dropped`(_ keepsOrder: Bool) {
    let probe = Probe<Int, Never>()
    [Rude(second: nil)].publisher.flatten(keepingOrder: keepsOrder) { $0 }.subscribe(probe)
    #expect(probe.values == [])
    probe.request(.max(1))
    #expect(probe.values == [1])
    probe.request(.unlimited)
    #expect(probe.values == [1] && probe.violations == [])
  }

  @Test(arguments: [false, true])
  func `an inner publisher's second subscription is cancelled without a request`(_ keepsOrder: Bool) {
    let second = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    [Rude(second: second)].publisher.flatten(keepingOrder: keepsOrder) { $0 }.subscribe(probe)
    #expect(second.cancellations == 1 && second.requests == [])
  }
}

extension Publisher {
  fileprivate func flatten<P: Publisher>(
    keepingOrder: Bool, maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    keepingOrder
      ? concatMapEager(maxPublishers: maxPublishers, transform)
      : flatMap(maxPublishers: maxPublishers, transform)
  }
}
