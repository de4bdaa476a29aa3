import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Debounce", .ownThread)
struct DebounceTests {
  private let scheduler = TestScheduler()
  private let upstream = ManualPublisher<Int, TestError>()
  private let probe = Probe<Int, TestError>()

  @Test func `a value is published when it has been quiet for the interval, and replaced when it has not`() {
    upstream.debounce(for: .seconds(2), scheduler: scheduler).subscribe(probe)
    probe.request(.unlimited)
    upstream.send(1)
    scheduler.advance(by: .seconds(1))
    upstream.send(2)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [])
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [2])
    upstream.send(3)
    scheduler.advance(by: .seconds(2))
    #expect(probe.values == [2, 3] && scheduler.pendingCount == 0)
  }

  @Test func `many values set one timer per interval, not one each`() {
    upstream.debounce(for: .seconds(2), scheduler: scheduler).subscribe(probe)
    probe.request(.unlimited)
    for value in 0..<1000 {
      upstream.send(value)
      #expect(scheduler.pendingCount == 1)
      scheduler.advance(by: .milliseconds(1))
    }
    scheduler.advance(by: .seconds(2))
    #expect(probe.values == [999])
  }

  @Test func `a value that is due waits for demand, and the next one takes its place`() {
    upstream.debounce(for: .seconds(1), scheduler: scheduler).subscribe(probe)
    upstream.send(1)
    scheduler.advance(by: .seconds(1))
    upstream.send(2)
    probe.request(.max(1))
    #expect(probe.values == [])
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [2])
    upstream.send(3)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [2] && probe.violations == [])
    probe.request(.max(1))
    #expect(probe.values == [2, 3])
  }

  @Test func `the end makes the last value due at once`() {
    upstream.debounce(for: .seconds(1), scheduler: scheduler).subscribe(probe)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(probe.completion == nil)
    probe.request(.max(1))
    #expect(probe.values == [1] && probe.completion == .finished && scheduler.pendingCount == 0)
  }

  @Test func `a failure drops the value that waits, with its timer`() {
    upstream.debounce(for: .seconds(1), scheduler: scheduler).subscribe(probe)
    probe.request(.unlimited)
    upstream.send(1)
    upstream.send(completion: .failure(TestError()))
    #expect(probe.values == [] && probe.completion == .failure(TestError()))
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `an immediate scheduler's values are due at once`() {
    upstream.debounce(for: .seconds(1), scheduler: ImmediateScheduler.shared).subscribe(probe)
    probe.request(.unlimited)
    upstream.send(1)
    upstream.send(2)
    #expect(probe.values == [1, 2])
  }
}
