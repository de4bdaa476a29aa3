import Dispatch
import ReactiveStreams
import TestSupport
import Testing

@Suite("Race and any", .ownThread) struct RaceTests {
  @Test func `the first to send wins, and the others are cancelled and ignored`() {
    let racers = (0..<3).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<Int, TestError>()
    racers.any().subscribe(probe)
    probe.request(.max(2))
    racers[1].send(1)
    racers[0].send(0)
    racers[2].send(completion: .failure(TestError()))
    racers[1].send(2)
    #expect(probe.values == [1, 2] && probe.completion == nil)
    #expect(racers.map(\.cancellations) == [1, 0, 1])
    #expect(racers.map(\.requested) == [.max(2), .max(2), .max(2)])
  }

  @Test func `when all have failed, the failure combines theirs, in order`() {
    let racers = (0..<2).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<Int, TestError>()
    racers[0].any(with: racers[1]) { TestError(number: $0.number * 10 + $1.number) }.subscribe(probe)
    probe.request(.max(1))
    racers[1].send(completion: .failure(TestError(number: 2)))
    #expect(probe.completion == nil)
    racers[0].send(completion: .failure(TestError(number: 1)))
    #expect(probe.completion == .failure(TestError(number: 12)))
  }

  /// Otherwise work could begin after the end of the whole stream.
  @Test(arguments: [false, true])
  func `a last value waits for a loser that is starting its work, and a cancellation drops it`(
    isCancelled: Bool
  ) {
    let (begun, goOn, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let resolver = Guarded<Resolver<Int, TestError>?>(nil)
    let values = Log<Int>()
    let first = FromCallback<Int, TestError, Void> { _ = resolver.exchange($0) }
    let second = FromCallback<Int, TestError, DispatchSemaphore>(
      { _ in
        begun.signal()
        goOn.wait()
        return ended
      }, cancel: { if isCancelled { $0.signal() } }
    ).subscribe(on: DispatchQueue.global())
    let subscription = first.any(with: second) { one, _ in one }.sink(
      receiveCompletion: { _ in if !isCancelled { ended.signal() } },
      receiveValue: { values.append($0) })
    begun.wait()
    resolver.exchange(nil)!.succeed(1)
    #expect(values.entries == [])
    if isCancelled { subscription.cancel() }
    goOn.signal()
    ended.wait()
    #expect(values.entries == (isCancelled ? [] : [1]))
  }

  @Test func `without publishers any, a merge and a zip finish at once`() {
    let none: [Just<Int>] = []
    for publisher in [
      none.any().eraseToAnyPublisher(), none.merge().eraseToAnyPublisher(),
      none.zip().map(\.count).eraseToAnyPublisher(),
    ] {
      let probe = Probe<Int, Never>()
      publisher.subscribe(probe)
      probe.request(.unlimited)
      #expect(probe.values.isEmpty && probe.completion == .finished)
    }
  }

  @Test func `nothing is subscribed to once a value has won`() {
    let started = Log<Int>()
    let late = Deferred {
      started.append(1)
      return Empty<Int, TestError>()
    }
    let now = Just(7).setFailureType(to: TestError.self)
    let probe = Probe<Int, TestError>(onSubscription: { $0.request(.max(1)) })
    now.any(with: late) { first, _ in first }.subscribe(probe)
    #expect(probe.values == [7] && probe.completion == .finished)
    #expect(started.entries.isEmpty)
  }

  @Test func `a loser that has been started is cancelled, whenever the winner answers`() {
    let count = 5_000
    let started = Counter()
    let cancelled = Counter()
    let answered = DispatchGroup()
    let ended = DispatchSemaphore(value: 0)
    let sink = (0..<count).publisher
      .concatMapEager { index in
        FromCallback<Int, any Error, Void> { resolver in
          DispatchQueue.global().async(group: answered) { resolver.succeed(index) }
        }
        .any(
          with: FromCallback<Int, any Error, Int> { _ in
            started.add()
            return index
          } cancel: { _ in
            cancelled.add()
          }
        ) { first, _ in first }
      }
      .collect()
      .sink { _ in
        ended.signal()
      } receiveValue: { values in
        if values != Array(0..<count) { Issue.record("the winners are out of order") }
      }
    ended.wait()
    answered.wait()
    #expect(started.current == cancelled.current)
    withExtendedLifetime(sink) {}
  }

  // MARK: any

  @Test func `when all are out, the last end is the end`() {
    let racers = (0..<2).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<Int, TestError>()
    racers.any().subscribe(probe)
    probe.request(.unlimited)
    racers[1].send(completion: .finished)
    racers[0].send(completion: .failure(TestError(number: 5)))
    #expect(probe.values == [] && probe.completion == .failure(TestError(number: 5)))
    #expect(probe.violations == [])
  }
}
