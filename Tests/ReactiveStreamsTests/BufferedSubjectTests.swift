import Foundation
import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Buffered subject", .ownThread)
struct BufferedSubjectTests {
  @Test(arguments: [
    (Publishers.BufferingStrategy<TestError>.dropOldest, [3, 4]), (.dropNewest, [1, 2]),
  ])
  func `the first subscriber gets what was sent before it, as much as is kept`(
    _ strategy: Publishers.BufferingStrategy<TestError>, _ kept: [Int]
  ) {
    let subject = BufferedSubject<Int, TestError>(size: 2, whenFull: strategy)
    for value in 1...4 { subject.send(value) }
    let (first, second) = (Probe<Int, TestError>(), Probe<Int, TestError>())
    subject.subscribe(first)
    subject.subscribe(second)
    first.request(.max(1))
    #expect(first.values == [kept[0]])
    subject.send(5)
    second.request(.unlimited)
    first.request(.unlimited)
    #expect(first.values == kept + [5] && second.values == [5])
    #expect(first.violations == [] && second.violations == [])
  }

  @Test func `the end comes after what waits, for the first subscriber and for those after it`() {
    let subject = BufferedSubject<Int, TestError>(size: 5, whenFull: .dropOldest)
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    let (first, second) = (Probe<Int, TestError>(), Probe<Int, TestError>())
    subject.subscribe(first)
    subject.subscribe(second)
    #expect(first.completion == nil && second.completion == .finished)
    first.request(.max(1))
    #expect(first.values == [1] && first.completion == .finished)
  }

  @Test func `one whose buffer overflows fails alone`() {
    let subject = BufferedSubject<Int, TestError>(size: 2, whenFull: .fail { TestError(number: 3) })
    let (slow, quick) = (Probe<Int, TestError>(), Probe<Int, TestError>())
    subject.subscribe(slow)
    subject.subscribe(quick)
    quick.request(.unlimited)
    for value in 1...3 { subject.send(value) }
    #expect(slow.completion == .failure(TestError(number: 3)) && slow.values == [])
    #expect(quick.completion == nil && quick.values == [1, 2, 3])
  }

  @Test func `a buffer that overflows before anyone came is the subject's failure`() {
    let subject = BufferedSubject<Int, TestError>(size: 2, whenFull: .fail { TestError(number: 3) })
    for value in 1...3 { subject.send(value) }
    let probe = Probe<Int, TestError>()
    subject.subscribe(probe)
    #expect(probe.completion == .failure(TestError(number: 3)) && probe.values == [])
  }

  @Test func `sends from many threads are serialised and seen by all in one order`() {
    let subject = BufferedSubject<Int, TestError>(size: 8000, whenFull: .dropOldest)
    let probes = (0..<2).map { _ in Probe<Int, TestError>() }
    for probe in probes { subject.subscribe(probe) }
    DispatchQueue.concurrentPerform(iterations: 5) { thread in
      if thread == 4 { return probes[1].request(.unlimited) }
      for index in 0..<2000 { subject.send(thread * 2000 + index) }
    }
    probes[0].request(.unlimited)
    #expect(probes[0].values == probes[1].values)
    #expect(probes[0].values.sorted() == Array(0..<8000))
    #expect(probes[0].violations == [] && probes[1].violations == [])
  }
}
