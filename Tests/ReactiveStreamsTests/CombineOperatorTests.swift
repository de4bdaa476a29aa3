import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import Testing

/// What the module beside the core adds: each operator by an example, and by the rules of the specification.
@Suite("Operators beside the core", .ownThread)
struct CombineOperatorTests {
  typealias Subject = PassthroughSubject<Int, Never>

  /// All values of a publisher that ends at once.
  private func all<P: Publisher>(_ publisher: P) -> [P.Output] {
    let probe = Probe<P.Output, P.Failure>()
    publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.completion != nil && probe.violations == [])
    return probe.values
  }

  @Test func `what is asked of all values is one value`() {
    let (some, none) = ((1...5).publisher, Empty<Int, Never>())
    #expect(
      all(some.contains(3)) == [true] && all(some.contains(9)) == [false] && all(none.contains(3)) == [false])
    #expect(all(some.allSatisfy { $0 < 9 }) == [true] && all(some.allSatisfy { $0 < 5 }) == [false])
    #expect(all(none.allSatisfy { _ in false }) == [true])
    #expect(all([3, 1, 4, 1, 5].publisher.min()) == [1] && all([3, 1, 4, 5, 1].publisher.max()) == [5])
    #expect(all(none.min()) == [] && all(none.max()) == [])
    let pairs = [[1, 0], [2, 0], [1, 1], [2, 1]].publisher
    #expect(all(pairs.min { $0[0] < $1[0] }) == [[1, 0]] && all(pairs.max { $0[0] < $1[0] }) == [[2, 0]])
    #expect(all(some.last { $0 < 4 }) == [3])
  }

  @Test func `what is known early cancels the upstream`() {
    for probe in [Probe<Bool, Never>(), Probe<Bool, Never>()] {
      let upstream = ManualPublisher<Int, Never>()
      upstream.contains(2).subscribe(probe)
      probe.request(.max(1))
      upstream.send(1)
      #expect(probe.values == [] && upstream.requested == .max(2))
      upstream.send(2)
      #expect(probe.values == [true] && probe.completion == .finished && upstream.cancellations == 1)
    }
  }

  @Test func `parts are taken by what values are, and by what another publisher does`() {
    let numbers = [1, 2, 9, 3, 1].publisher
    #expect(all(numbers.drop { $0 < 5 }) == [9, 3, 1] && all(numbers.prefix { $0 < 5 }) == [1, 2])
    #expect(
      all(numbers.output(at: 2)) == [9] && all(numbers.output(in: 1..<3)) == [2, 9]
        && all(numbers.output(in: 3...)) == [3, 1])
    let (source, signal) = (Subject(), Subject())
    let (before, after) = (Probe<Int, Never>(), Probe<Int, Never>())
    source.prefix(untilOutputFrom: signal).subscribe(before)
    source.drop(untilOutputFrom: signal).subscribe(after)
    for probe in [before, after] { probe.request(.unlimited) }
    source.send(1)
    signal.send(0)
    source.send(2)
    #expect(before.values == [1] && before.completion == .finished)
    #expect(after.values == [2] && after.completion == nil)
  }

  @Test func `the other publisher is subscribed to first, so that a value of both opens and passes`() {
    let source = Subject()
    let (before, after) = (Probe<Int, Never>(), Probe<Int, Never>())
    source.prefix(untilOutputFrom: source).subscribe(before)
    source.drop(untilOutputFrom: source).subscribe(after)
    for probe in [before, after] { probe.request(.unlimited) }
    source.send(1)
    #expect(before.values == [] && before.completion == .finished)
    #expect(after.values == [1])
  }

  @Test func `what another publisher does before the upstream subscribes comes after the subscription`() {
    for other in [Just(0).eraseToAnyPublisher(), Empty().eraseToAnyPublisher()] {
      let (before, after) = (Probe<Int, Never>(), Probe<Int, Never>())
      let upstream = ManualPublisher<Int, Never>()
      upstream.prefix(untilOutputFrom: other).subscribe(before)
      upstream.drop(untilOutputFrom: other).subscribe(after)
      #expect(before.violations == [] && after.violations == [] && upstream.requests == [])
    }
  }

  enum Asking: CaseIterable { case retry, `catch`, replaceEmpty, subscribeOn, prefix, drop, timeout }

  @Test(arguments: Asking.allCases)
  func `nobody is asked for nothing`(_ asking: Asking) {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    let never = Empty<Int, TestError>(completeImmediately: false)
    switch asking {
    case .retry: upstream.retry(1).subscribe(probe)
    case .catch: upstream.catch { Fail(error: $0) }.subscribe(probe)
    case .replaceEmpty: upstream.replaceEmpty(with: 0).subscribe(probe)
    case .subscribeOn: upstream.subscribe(on: ImmediateScheduler.shared).subscribe(probe)
    case .prefix: upstream.prefix(untilOutputFrom: never).subscribe(probe)
    case .drop: upstream.drop(untilOutputFrom: never).subscribe(probe)
    case .timeout: upstream.timeout(.seconds(1), scheduler: TestScheduler()).subscribe(probe)
    }
    probe.request(.none)
    #expect(upstream.subscriptions == 1 && upstream.requests == [])
    probe.request(.max(2))
    #expect(upstream.requests == [.max(2)])
  }

  @Test func `the other publisher's end alone ends a drop and no prefix`() {
    let (before, after) = (Probe<Int, Never>(), Probe<Int, Never>())
    Subject().prefix(untilOutputFrom: Empty<Int, Never>()).subscribe(before)
    Subject().drop(untilOutputFrom: Empty<Int, Never>()).subscribe(after)
    #expect(before.completion == nil && after.completion == .finished)
  }

  @Test func `a stream that has ended lets go of the other publisher`() {
    let (source, other) = (ManualPublisher<Int, Never>(), ManualPublisher<Int, Never>())
    let probes = (0..<2).map { _ in Probe<Int, Never>() }
    source.prefix(untilOutputFrom: other).subscribe(probes[0])
    source.send(completion: .finished)
    #expect(other.cancellations == 1)
    source.drop(untilOutputFrom: other).subscribe(probes[1])
    probes[1].cancel()
    #expect(other.cancellations == 2 && source.cancellations == 1)
  }

  @Test func `nil and nothing are replaced`() {
    #expect(all([1, nil, 3].publisher.replaceNil(with: 2)) == [1, 2, 3])
    #expect(
      all(Empty<Int, Never>().replaceEmpty(with: 1)) == [1]
        && all((2...3).publisher.replaceEmpty(with: 1)) == [2, 3])
    #expect(all((1...3).publisher.ignoreOutput()).isEmpty)
    let failing = Probe<Int, TestError>()
    Fail<Int, TestError>(error: TestError()).replaceEmpty(with: 1).subscribe(failing)
    failing.request(.unlimited)
    #expect(failing.values == [] && failing.completion == .failure(TestError()))
  }

  @Test func `values are collected in arrays of a number, which are asked for by as many`() {
    #expect(
      all((1...7).publisher.collect(3)) == [[1, 2, 3], [4, 5, 6], [7]]
        && all((1...4).publisher.collect(2)) == [[1, 2], [3, 4]])
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<[Int], Never>(onValue: { _, _ in .max(1) })
    upstream.collect(3).subscribe(probe)
    probe.request(.max(2))
    #expect(upstream.requests == [.max(6)])
    for value in 1...3 { upstream.send(value) }
    #expect(upstream.requests == [.max(6), .max(3)] && probe.values == [[1, 2, 3]])
  }

  @Test func `several publishers at once, and what is made of their values`() {
    let (a, b) = ((1...2).publisher, (3...4).publisher)
    #expect(all(a.merge(with: b, a)).count == 6 && all(a.merge(with: b, a, b)).count == 8)
    #expect(all(a.merge(with: b, a, b, Just(0))).count == 9 && all(a.merge(with: b, a, b, a, b)).count == 12)
    #expect(all(a.merge(with: b, a, b, a, b, a)).count == 14)
    #expect(
      all(a.merge(with: b, a, b, a, b, a, b)).sorted() == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
    #expect(all(a.append(3, 4)) == [1, 2, 3, 4] && all(a.append(8...9)) == [1, 2, 8, 9])
    #expect(all(a.prepend(3, 4)) == [3, 4, 1, 2] && all(a.prepend([0])) == [0, 1, 2])
    #expect(
      all(Publishers.MergeMany(a, b)).sorted() == [1, 2, 3, 4]
        && all(Publishers.MergeMany([a, b])).count == 4)
    #expect(all(a.zip(b) { [$0, $1] }) == [[1, 3], [2, 4]])
    #expect(all(a.zip(b, a) { [$0, $1, $2] }) == [[1, 3, 1], [2, 4, 2]])
    #expect(all(a.zip(b, a, b) { [$0, $1, $2, $3] }) == [[1, 3, 1, 3], [2, 4, 2, 4]])
    let (c, d) = (Just(5), Just(6))
    #expect(all(c.combineLatest(d) { [$0, $1] }) == [[5, 6]])
    #expect(all(c.combineLatest(d, c) { [$0, $1, $2] }) == [[5, 6, 5]])
    #expect(all(c.combineLatest(d, c, d) { [$0, $1, $2, $3] }) == [[5, 6, 5, 6]])
  }

  @Test func `a connectable sends nothing before it is told to, then the same to all, until it is cancelled`()
  {
    let source = Subject()
    let shared = source.makeConnectable()
    let got = Log<Int>()
    let sinks = (0..<2).map { index in shared.sink { got.add(10 * index + $0) } }
    source.send(1)
    let connection = shared.connect()
    source.send(2)
    connection.cancel()
    source.send(3)
    #expect(got.entries == [2, 12])
    withExtendedLifetime(sinks) {}
  }

  @Test func `a multicast makes one subject, however many come`() {
    let made = Log<Int>()
    let shared = (1...3).publisher.multicast {
      made.add(1)
      return CurrentValueSubject<Int, Never>(0)
    }
    let got = Log<Int>()
    let sinks = (0..<2).map { _ in shared.sink { got.add($0) } }
    let connection = shared.connect()
    #expect(made.entries.count == 1 && got.entries == [0, 0, 1, 1, 2, 2, 3, 3])
    withExtendedLifetime((sinks, connection)) {}
  }

  @Test func `an autoconnected one connects with the first subscriber, and the last that leaves cancels`() {
    let upstream = ManualPublisher<Int, Never>()
    let shared = upstream.makeConnectable().autoconnect()
    let probes = (0..<2).map { _ in Probe<Int, Never>() }
    for probe in probes {
      shared.subscribe(probe)
      probe.request(.unlimited)
    }
    #expect(upstream.subscriptions == 1)
    upstream.send(1)
    #expect(probes.map(\.values) == [[1], [1]])
    probes[0].cancel()
    probes[0].cancel()
    #expect(upstream.cancellations == 0)
    probes[1].cancel()
    #expect(upstream.cancellations == 1)
  }

  @Test func `a cancellable of one's own is cancelled once`() {
    final class Canceller: Cancellable {
      let log = Log<Int>()
      func cancel() { log.add(1) }
    }
    let (canceller, other) = (Canceller(), Canceller())
    do {
      var kept: Set<AnyCancellable> = []
      canceller.store(in: &kept)
      var list: [AnyCancellable] = []
      other.store(in: &list)
      list[0].cancel()
      #expect(canceller.log.entries == [])
    }
    #expect(canceller.log.entries == [1] && other.log.entries == [1])
  }

  @Test func `demands are counted with numbers`() {
    typealias Demand = Subscribers.Demand
    #expect(
      Demand.max(2) + 3 == 5 && Demand.max(2) - 3 == 0 && Demand.max(2) * 3 == 6 && Demand.max(2) + -1 == 1)
    #expect(
      Demand.max(2) - -1 == 3 && Demand.unlimited + 1 == .unlimited && Demand.unlimited * 0 == Demand.none)
    #expect(Demand.max(.max - 1) + 5 == .unlimited && Demand.max(.max / 2) * 3 == .unlimited)
    #expect(Demand.max(2) < 3 && Demand.max(2) <= 2 && Demand.max(2) > 1 && Demand.max(2) >= 2)
    #expect(Demand.unlimited > Int.max && Demand.unlimited != Int.max && !(Demand.unlimited <= Int.max))
    var demand = Demand.max(1)
    demand += 4
    demand -= 2
    demand *= 3
    #expect(demand == 9)
  }

  @Test func `the page's example holds`() async throws {
    let prices = [3, 1, 4, 1, 5].publisher
    let hasBargain = try await prices.contains { $0 < 2 }.value
    let lowest = try await prices.min().value
    #expect(hasBargain && lowest == 1)
  }

  @Test func `a timeout without an error finishes`() {
    let clock = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.timeout(.seconds(1), scheduler: clock).subscribe(probe)
    probe.request(.unlimited)
    clock.advance(by: .seconds(1))
    #expect(probe.completion == .finished && upstream.cancellations == 1)
    #expect(all(upstream.timeout(.zero, scheduler: clock)).isEmpty)
  }

  static let publishers: [Case] = [
    Case("drop(while:)") { (0...$0).publisher.drop { $0 == 0 } },
    Case("prefix(while:)") { (0..<$0).publisher.prefix { $0 >= 0 } },
    Case("prefix(untilOutputFrom:)") { (0..<$0).publisher.prefix(untilOutputFrom: Subject()) },
    Case("drop(untilOutputFrom:)") { (0..<$0).publisher.drop(untilOutputFrom: Just(0)) },
    Case("replaceEmpty, of some") { (0..<$0).publisher.replaceEmpty(with: 0) },
    Case("replaceEmpty, of none", largestCount: 1) {
      $0 == 0
        ? Empty<Int, Never>().eraseToAnyPublisher()
        : Empty<Int, Never>().replaceEmpty(with: 0).eraseToAnyPublisher()
    },
    Case("collect(2)") { (0..<2 * $0).publisher.collect(2) },
  ]

  @Test(arguments: publishers, PublisherVerification<AnyPublisher<Int, Never>>.rules.map(\.name))
  func `as publishers they obey`(_ publisher: Case, _ rule: String) {
    #expect(publisher.violations(rule) == [])
  }
}
