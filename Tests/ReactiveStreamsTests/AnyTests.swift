import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Any", .ownThread)
struct AnyTests {
  @Test func `the first value wins, whatever has ended before it`() {
    let racers = (0..<4).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<Int, TestError>()
    racers.any().subscribe(probe)
    probe.request(.unlimited)
    racers[0].send(completion: .failure(TestError()))
    racers[1].send(completion: .finished)
    #expect(probe.completion == nil)
    racers[2].send(2)
    racers[3].send(3)
    racers[2].send(completion: .finished)
    #expect(probe.values == [2] && probe.completion == .finished)
    #expect(racers.map(\.cancellations) == [0, 0, 0, 1])
  }

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
