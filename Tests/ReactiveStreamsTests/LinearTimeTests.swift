import Foundation
import ReactiveStreams
import TestSupport
import Testing

/// The CPU time of many sources is proportional to their number.
@Suite("Linear time", .ownThread) struct LinearTimeTests {
  enum Kind: CaseIterable { case flatMap, concatMapEager, concatMap, merge, zip }

  /// Sources that answer on a queue, all at once except for `concatMap`.
  private func time(_ kind: Kind, _ count: Int) -> UInt64 {
    let queue = DispatchQueue(label: "answers")
    let ended = DispatchSemaphore(value: 0)
    let received = Counter()
    let answering = Guarded<UInt64>(0)
    let source: @Sendable (Int) -> AnyPublisher<Int, Never> = { number in
      FromCallback<Int, Never, Void> { resolver in
        queue.async {
          let start = Self.processorTime()
          resolver.succeed(number)
          answering.withLock { $0 += Self.processorTime() - start }
        }
      }
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
    let start = Self.processorTime()
    let sink = all.sink(receiveCompletion: { _ in ended.signal() }, receiveValue: { _ in received.add() })
    let subscribing = Self.processorTime() - start
    ended.wait()
    // The last answer is counted after it was passed on.
    queue.sync {}
    withExtendedLifetime(sink) {}
    #expect(received.current == count)
    return subscribing + answering.withLock { $0 }
  }

  /// Of the calling thread, in nanoseconds, so that other load does not count.
  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  @Test(arguments: Kind.allCases) func `many sources take no square of time`(kind: Kind) {
    let count = Effort.count(2_000, thorough: 6_250)
    let few = (0..<3).map { _ in time(kind, count) }.min()!
    // Sixteen times as many: a square would take 256 times as long.
    #expect(time(kind, 16 * count) < few * 80)
  }
}
