import Foundation
import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Switch to latest", .ownThread)
struct SwitchToLatestTests {
  private typealias Inner = ManualPublisher<Int, TestError>
  private let outer = ManualPublisher<Inner, TestError>()
  private let inners = (0..<3).map { _ in Inner() }
  private let probe = Probe<Int, TestError>()

  @Test func `a new publisher cancels the one before, and the demand it has not met goes over`() {
    outer.switchToLatest().subscribe(probe)
    probe.request(.max(3))
    outer.send(inners[0])
    #expect(inners[0].requested == .max(3))
    inners[0].send(1)
    outer.send(inners[1])
    #expect(inners[0].cancellations == 1 && inners[1].requested == .max(2))
    inners[0].send(99)
    inners[1].send(2)
    #expect(probe.values == [1, 2] && probe.violations == [])
  }

  @Test func `it finishes when the outer and the latest inner publisher have`() {
    outer.switchToLatest().subscribe(probe)
    probe.request(.unlimited)
    outer.send(inners[0])
    inners[0].send(completion: .finished)
    #expect(probe.completion == nil)
    outer.send(inners[1])
    outer.send(completion: .finished)
    #expect(probe.completion == nil)
    inners[1].send(1)
    inners[1].send(completion: .finished)
    #expect(probe.values == [1] && probe.completion == .finished)
  }

  @Test func `an outer failure cancels the inner publisher, an inner one the outer publisher`() {
    outer.switchToLatest().subscribe(probe)
    outer.send(inners[0])
    outer.send(completion: .failure(TestError(number: 1)))
    #expect(probe.completion == .failure(TestError(number: 1)) && inners[0].cancellations == 1)

    let (outer, probe) = (ManualPublisher<Inner, TestError>(), Probe<Int, TestError>())
    outer.switchToLatest().subscribe(probe)
    outer.send(inners[1])
    inners[1].send(completion: .failure(TestError(number: 2)))
    #expect(probe.completion == .failure(TestError(number: 2)) && outer.cancellations == 1)
  }

  @Test func `a cancellation reaches both`() {
    outer.switchToLatest().subscribe(probe)
    outer.send(inners[0])
    probe.cancel()
    #expect(outer.cancellations == 1 && inners[0].cancellations == 1)
  }

  @Test func `an inner publisher without end does not keep a cancellation waiting`() {
    let sink = Probe<Int, Never>()
    Just(0).flatMapLatest { _ in (0...).publisher }.prefix(1000).subscribe(sink)
    sink.request(.unlimited)
    #expect(sink.values == Array(0..<1000) && sink.completion == .finished)
  }

  @Test func `publishers that replace each other from many threads are all cancelled but the last`() {
    for _ in 0..<50 {
      let outer = PassthroughSubject<Inner, TestError>()
      let probe = Probe<Int, TestError>()
      outer.switchToLatest().subscribe(probe)
      probe.request(.unlimited)
      let inners = (0..<40).map { _ in Inner() }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for index in 0..<10 { outer.send(inners[thread * 10 + index]) }
      }
      #expect(inners.map(\.cancellations).sorted() == [0] + Array(repeating: 1, count: 39))
      probe.cancel()
      #expect(inners.allSatisfy { $0.cancellations == 1 })
    }
  }
}
