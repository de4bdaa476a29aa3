import ReactiveStreams
import ReactiveStreamsTCK
import Testing

@Suite("From an asynchronous sequence", .serialized)
struct FromAsyncSequenceTests {
  @Test(arguments: PublisherRulesTests.rules)
  func obeys(_ rule: String) async {
    let violations = await offThePool {
      // Patient, because the tasks share their threads with all the other tests.
      PublisherVerification(patience: .seconds(60)) { Counting(upTo: .max).publisher.prefix($0) }
        .violations(of: rule)
    }
    #expect(violations == [])
  }

  @Test func `elements come in order, then the end`() async {
    let probe = Probe<Int, Never>()
    Counting(upTo: 5).publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await offThePool { probe.wait(upTo: .seconds(60)) { $0.completion != nil } })
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
      #expect(await offThePool { probe.wait(upTo: .seconds(60)) { $0.valueCount == due } })
    }
    probe.request(.max(1))
    #expect(await offThePool { probe.wait(upTo: .seconds(60)) { $0.valueCount == 7 } })
    #expect(sequence.pulls.value == 7)
  }

  @Test func `an error of the sequence is the failure`() async {
    let probe = Probe<Int, any Error>()
    AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: TestError(number: 4))
    }.publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await offThePool { probe.wait(upTo: .seconds(60)) { $0.completion != nil } })
    guard case .failure(let error as TestError) = probe.completion else {
      Issue.record("no failure: \(String(describing: probe.completion))")
      return
    }
    #expect(probe.values == [1] && error == TestError(number: 4))
  }

  @Test(arguments: [true, false])
  func `a cancellation cancels the task, whether it waits for an element or for demand`(_ pulls: Bool) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let (terminations, termination) = AsyncStream.makeStream(of: Bool.self)
    continuation.onTermination = {
      if case .cancelled = $0 { termination.yield(true) }
      termination.finish()
    }
    let probe = Probe<Int, Never>()
    stream.publisher.subscribe(probe)
    continuation.yield(1)
    probe.request(pulls ? .max(2) : .max(1))
    #expect(await offThePool { probe.wait(upTo: .seconds(60)) { $0.valueCount == 1 } })
    probe.cancel()
    if pulls { #expect(await terminations.first { $0 } == true) }
    probe.request(.max(1))
    #expect(probe.values == [1] && probe.completion == nil)
  }
}
