import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Expand", .ownThread)
struct ExpandTests {
  private typealias Log = TestSupport.Log
  private static let many = Effort.count(20_000, thorough: 100_000)

  /// What follows from a number: the next one, until the last.
  private func pages(to last: Int) -> AnyPublisher<Int, Never> {
    Just(0).expand { $0 < last ? Just($0 + 1).eraseToAnyPublisher() : nil }.eraseToAnyPublisher()
  }

  @Test func `each page follows from the one before`() {
    let probe = Probe<Int, Never>()
    pages(to: 5).subscribe(probe)
    #expect(probe.values == [])
    probe.request(.max(2))
    #expect(probe.values == [0, 1])
    probe.request(.unlimited)
    #expect(probe.values == [0, 1, 2, 3, 4, 5])
    #expect(probe.completion == .finished)
  }

  @Test func `a tree is published level by level`() {
    let probe = Probe<Int, Never>()
    Just(1).expand(maxPublishers: .max(1)) { node in
      node < 8 ? [2 * node, 2 * node + 1].publisher.eraseToAnyPublisher() : nil
    }
    .subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values == Array(1...15))
    #expect(probe.completion == .finished)
  }

  @Test func `many pages that are there take constant stack`() {
    let last = Guarded(0)
    let ended = Counter()
    let pages = pages(to: Self.many)
    onSmallStack {
      let sink = pages.sink { _ in
        ended.add()
      } receiveValue: { page in
        last.withLock { $0 = page }
      }
      withExtendedLifetime(sink) {}
    }
    #expect(last.withLock { $0 } == Self.many)
    #expect(ended.current == 1)
  }

  @Test func `many pages that are answered later take constant stack`() {
    let latest = Guarded<Resolver<Int, TestError>?>(nil)
    @Sendable func page(_ number: Int) -> AnyPublisher<Int, TestError> {
      Future { resolver in latest.withLock { $0 = resolver } }.map { $0 + number }.eraseToAnyPublisher()
    }
    let values = Counter()
    let ended = Counter()
    onSmallStack {
      let sink = page(0).expand { $0 < Self.many ? page($0) : nil }.sink { _ in
        ended.add()
      } receiveValue: { _ in
        values.add()
      }
      while let resolver = latest.exchange(nil) { resolver.succeed(1) }
      withExtendedLifetime(sink) {}
    }
    #expect(values.current == Self.many)
    #expect(ended.current == 1)
  }

  @Test func `no page is begun after a failure or a cancellation`() {
    for cancels in [true, false] {
      let begun = Log<Int>()
      let pages = PassthroughSubject<Int, TestError>()
      let probe = Probe<Int, TestError>()
      pages.expand { value in
        begun.append(value)
        return value > 0
          ? PassthroughSubject<Int, TestError>().eraseToAnyPublisher()
          : Fail(error: TestError(number: 1)).eraseToAnyPublisher()
      }
      .subscribe(probe)
      probe.request(.unlimited)
      pages.send(1)
      if cancels { probe.cancel() } else { pages.send(0) }
      pages.send(2)
      #expect(begun.entries == (cancels ? [1] : [1, 0]))
      #expect(probe.completion == (cancels ? nil : .failure(TestError(number: 1))))
    }
  }

  @Test func `what is over lets go of what it held`() {
    final class Token: Sendable {}
    for cancels in [true, false] {
      weak var dropped: Token?
      do {
        let token = Token()
        dropped = token
        let pages = PassthroughSubject<Int, Never>()
        let sink = pages.expand { _ in withExtendedLifetime(token) { nil } }.sink { _ in }
        pages.send(1)
        if cancels { sink.cancel() } else { pages.send(completion: .finished) }
      }
      #expect(dropped == nil)
    }
  }
}
