import ReactiveStreams
import TestSupport
import Testing

@Suite("Operators on values", .ownThread) struct OperatorTests {
  @Test func `a prefix cancels the upstream with its last value`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.prefix(2).subscribe(probe)
    probe.request(.unlimited)
    upstream.send(1)
    #expect(upstream.cancellations == 0)
    upstream.send(2)
    upstream.send(3)
    #expect(probe.values == [1, 2] && probe.completion == .finished && upstream.cancellations == 1)
  }

  @Test func `an error thrown by tryMap cancels the upstream and is the failure`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, any Error>()
    upstream.tryMap { value -> Int in
      if value == 2 { throw TestError(number: 2) }
      return value
    }.subscribe(probe)
    probe.request(.unlimited)
    for value in 1...3 { upstream.send(value) }
    #expect(probe.values == [1] && upstream.cancellations == 1)
    #expect(probe.failure as? TestError == TestError(number: 2))
  }

  @Test func `many values pass a chain of operators in constant stack`() {
    let count = Effort.count(100_000, thorough: 1_000_000)
    let probe = Probe<Int, Never>(
      keepsValues: false,
      onValue: { probe, _ in
        probe.request(.max(1))
        return .none
      })
    (0..<count).publisher.map { $0 + 1 }.filter { $0 > 0 }.subscribe(probe)
    probe.request(.max(1))
    #expect(probe.valueCount == count && probe.deepestSignal == 1)
  }

  enum Asking: CaseIterable { case retry, `catch`, subscribeOn, timeout }

  @Test(arguments: Asking.allCases) func `an upstream receives no request for nothing`(_ asking: Asking) {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    switch asking {
    case .retry: upstream.retry(1).subscribe(probe)
    case .catch: upstream.catch { Fail(error: $0) }.subscribe(probe)
    case .subscribeOn: upstream.subscribe(on: ImmediateScheduler.shared).subscribe(probe)
    case .timeout: upstream.timeout(.seconds(1), scheduler: TestScheduler()).subscribe(probe)
    }
    probe.request(.none)
    #expect(upstream.subscriptions == 1 && upstream.requests == [])
    probe.request(.max(2))
    #expect(upstream.requests == [.max(2)])
  }

  @Test func `nothing is requested before the first demand, then everything`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<[Int], Never>()
    upstream.collect().subscribe(probe)
    #expect(upstream.requests == [])
    probe.request(.max(1))
    probe.request(.max(1))
    #expect(upstream.requests == [.unlimited])
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(probe.values == [[1, 2]])
    #expect(probe.completion == .finished)
  }

  @Test func `an empty upstream makes an empty array, on demand`() {
    let probe = Probe<[Int], Never>()
    Empty<Int, Never>().collect().subscribe(probe)
    #expect(probe.completion == nil)
    probe.request(.max(1))
    #expect(probe.values == [[]])
  }

  @Test func `a suspending buffer requests what it has room for, in halves`() {
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.buffer(size: 4, whenFull: .suspendUpstream).subscribe(probe)
    #expect(upstream.requests == [.none, .max(4)] || upstream.requests == [.max(4)])
    for value in 1...4 { upstream.send(value) }
    probe.request(.max(1))
    #expect(upstream.requested == .max(4))
    probe.request(.max(1))
    #expect(upstream.requested == .max(6))
    #expect(probe.values == [1, 2])
  }

  @Test func `a failure overtakes waiting values`() {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.buffer(size: 4, whenFull: .suspendUpstream).subscribe(probe)
    upstream.send(1)
    upstream.send(completion: .failure(TestError()))
    #expect(probe.values == [] && probe.completion == .failure(TestError()))
  }
}
