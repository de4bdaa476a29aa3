import Dispatch
import ReactiveStreams
import ReactiveStreamsTCK
import Testing

@Suite("Receive on, delay")
struct ReceiveOnTests {
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

  @Test func `a delay moves each value and the end by the interval`() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>()
    subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(probe)
    probe.request(.unlimited)
    subject.send(1)
    scheduler.advance(by: .seconds(1))
    subject.send(2)
    subject.send(completion: .finished)
    #expect(probe.values.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [1] && probe.completion == nil)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [1, 2] && probe.completion == .finished)
  }

  @Test func `a cancellation drops what waits`() {
    let scheduler = TestScheduler()
    let probe = Probe<Int, Never>()
    (0..<3).publisher.delay(for: .seconds(1), scheduler: scheduler).subscribe(probe)
    probe.request(.unlimited)
    probe.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(2))
    #expect(probe.values.isEmpty && probe.completion == nil)
  }
}
