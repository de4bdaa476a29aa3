import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("From an asynchronous sequence", .ownThread, .serialized)
struct FromAsyncSequenceTests {
  @Test(arguments: PublisherRulesTests.rules)
  func obeys(_ rule: String) async {
    let violations = await offThePool {
      // Patient, because the tasks share their threads with all the other tests.
      PublisherVerification(patience: .seconds(600)) { Counting(upTo: .max).publisher.prefix($0) }
        .violations(of: rule)
    }
    #expect(violations == [])
  }

  @Test func `elements come in order, then the end`() async {
    let probe = Probe<Int, Never>()
    Counting(upTo: 5).publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await offThePool { probe.wait(upTo: .seconds(600)) { $0.completion != nil } })
    #expect(probe.values == [1, 2, 3, 4, 5] && probe.completion == .finished && probe.violations == [])
  }

  @Test func `one element is pulled for each value asked for, none ahead`() async {
    let sequence = Counting(upTo: 100)
    let probe = Probe<Int, Never>()
    sequence.publisher.subscribe(probe)
    #expect(sequence.pulls.value == 0)
    for asked in [2, 1, 3] {
      let due = probe.valueCount + asked
      probe.request(.max(asked))
      #expect(await offThePool { probe.wait(upTo: .seconds(600)) { $0.valueCount == due } })
    }
    probe.request(.max(1))
    #expect(await offThePool { probe.wait(upTo: .seconds(600)) { $0.valueCount == 7 } })
    #expect(sequence.pulls.value == 7)
  }

  @Test func `an error of the sequence is the failure`() async {
    let probe = Probe<Int, any Error>()
    AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: TestError(number: 4))
    }.publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await offThePool { probe.wait(upTo: .seconds(600)) { $0.completion != nil } })
    guard case .failure(let error as TestError) = probe.completion else {
      Issue.record("no failure: \(String(describing: probe.completion))")
      return
    }
    #expect(probe.values == [1] && error == TestError(number: 4))
  }

  @Test(arguments: [true, false])
  func `a cancellation cancels the task, whether it waits for an element or for demand`(_ pulls: Bool) async {
    let (requests, pulled) = AsyncStream.makeStream(of: Int.self)
    let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self)
    let probe = Probe<Int, Never>()
    OneThenNone(pulled: pulled, cancelled: cancelled).publisher.subscribe(probe)
    probe.request(pulls ? .max(2) : .max(1))
    #expect(await offThePool { probe.wait(upTo: .seconds(600)) { $0.valueCount == 1 } })
    // Cancelled before it asks, the task would rightly never ask.
    if pulls { for await pull in requests where pull == 2 { break } }
    probe.cancel()
    if pulls { for await _ in cancellations { break } }
    probe.request(.max(1))
    #expect(probe.values == [1] && probe.completion == nil)
  }
}

/// One element, and then nothing until the task is cancelled; says when it is asked and when it is cancelled.
private struct OneThenNone: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let pulled: AsyncStream<Int>.Continuation
  let cancelled: AsyncStream<Void>.Continuation
  private var count = 0

  init(pulled: AsyncStream<Int>.Continuation, cancelled: AsyncStream<Void>.Continuation) {
    self.pulled = pulled
    self.cancelled = cancelled
  }

  func makeAsyncIterator() -> Self { self }

  mutating func next() async -> Int? {
    count += 1
    pulled.yield(count)
    if count == 1 { return 1 }
    do { try await Task.sleep(for: .seconds(3_600)) } catch { cancelled.yield() }
    return nil
  }
}
