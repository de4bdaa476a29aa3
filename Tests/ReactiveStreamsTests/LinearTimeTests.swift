import Dispatch
import ReactiveStreams
import RuntimeTestSupport
import Testing

/// The time that so many sources take is in proportion to their number.
@Suite("Linear time")
struct LinearTimeTests {
  enum Kind: CaseIterable { case flatMap, concatMapEager, concatMap, merge, zip }

  /// Sources that answer on a queue, all of them under way at once unless it is one after another.
  private func time(_ kind: Kind, _ count: Int) -> Duration {
    let queue = DispatchQueue(label: "answers")
    let ended = DispatchSemaphore(value: 0)
    let received = Counter()
    let source: @Sendable (Int) -> AnyPublisher<Int, Never> = { number in
      FromCallback<Int, Never, Void> { resolver in queue.async { resolver.succeed(number) } }
        .eraseToAnyPublisher()
    }
    let all: AnyPublisher<Int, Never> =
      switch kind {
      case .flatMap: (0..<count).publisher.flatMap(source).eraseToAnyPublisher()
      case .concatMapEager: (0..<count).publisher.concatMapEager(source).eraseToAnyPublisher()
      case .concatMap: (0..<count).publisher.concatMap(source).eraseToAnyPublisher()
      case .merge: (0..<count).map(source).merge().eraseToAnyPublisher()
      case .zip: (0..<count).map(source).zip().flatMap { $0.publisher }.eraseToAnyPublisher()
      }
    let start = ContinuousClock.now
    let sink = all.sink(receiveCompletion: { _ in ended.signal() }, receiveValue: { _ in received.add() })
    ended.wait()
    let elapsed = ContinuousClock.now - start
    withExtendedLifetime(sink) {}
    #expect(received.current == count)
    return elapsed
  }

  @Test(arguments: Kind.allCases) func `a hundred thousand sources take no square of time`(kind: Kind) {
    let few = (0..<3).map { _ in time(kind, 6_250) }.min()!
    // Sixteen times as many: a square would take 256 times as long.
    #expect(time(kind, 100_000) < few * 80)
  }
}
