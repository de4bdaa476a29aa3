import Foundation
import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Combine latest", .ownThread)
struct CombineLatestTests {
  @Test func `each value makes a pair with the other's latest, once both have one`() {
    let (left, right) = (ManualPublisher<Int, Never>(), ManualPublisher<String, Never>())
    let probe = Probe<String, Never>()
    left.combineLatest(right).map { "\($0)\($1)" }.subscribe(probe)
    probe.request(.unlimited)
    left.send(1)
    left.send(2)
    #expect(probe.values == [])
    right.send("a")
    right.send("b")
    left.send(3)
    #expect(probe.values == ["2a", "2b", "3b"] && probe.violations == [])
  }

  @Test func `values wait for demand in the order they came, and no pair is lost`() {
    let sources = (0..<2).map { _ in ManualPublisher<Int, Never>() }
    let probe = Probe<[Int], Never>()
    sources.combineLatest().subscribe(probe)
    probe.request(.max(3))
    #expect(sources.allSatisfy { $0.requested == .max(3) })
    sources[0].send(1)
    sources[1].send(10)
    sources[1].send(11)
    sources[0].send(2)
    sources[1].send(12)
    sources[0].send(3)
    #expect(probe.values == [[1, 10], [1, 11], [2, 11]])
    probe.request(.max(2))
    #expect(probe.values.suffix(2) == [[2, 12], [3, 12]] && probe.violations == [])
  }

  @Test func `unlimited demand does not read sources that wait far ahead`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, Never>(waitsForDemand: true) }
    let probe = Probe<[Int], Never>()
    sources.combineLatest().subscribe(probe)
    probe.request(.unlimited)
    #expect(sources.allSatisfy { $0.requested == .max(64) })
  }

  @Test func `one that ends with a value leaves the others going; the last end is the end`() {
    let sources = (0..<2).map { _ in ManualPublisher<Int, Never>() }
    let probe = Probe<[Int], Never>()
    sources.combineLatest().subscribe(probe)
    probe.request(.unlimited)
    sources[0].send(1)
    sources[0].send(completion: .finished)
    sources[1].send(2)
    sources[1].send(3)
    #expect(probe.values == [[1, 2], [1, 3]] && probe.completion == nil)
    sources[1].send(completion: .finished)
    #expect(probe.completion == .finished && sources.map(\.cancellations) == [0, 0])
  }

  @Test func `one that ends without a value ends the stream and cancels the others`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, Never>() }
    let probe = Probe<[Int], Never>()
    sources.combineLatest().subscribe(probe)
    probe.request(.unlimited)
    sources[0].send(1)
    sources[1].send(completion: .finished)
    #expect(probe.completion == .finished && sources.map(\.cancellations) == [1, 0, 1])
  }

  @Test func `a failure cancels the others at once, whatever waits`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<[Int], TestError>()
    sources.combineLatest().subscribe(probe)
    probe.request(.max(1))
    for source in sources { source.send(1) }
    sources[0].send(2)
    sources[1].send(completion: .failure(TestError()))
    #expect(probe.values == [[1, 1, 1]] && probe.completion == .failure(TestError()))
    #expect(sources.map(\.cancellations) == [1, 0, 1])
  }

  @Test func `two to four publishers keep each value's place and type`() {
    let (a, b, c) = (Just("a"), Just([1]), Just(2.5))
    let probe = Probe<String, Never>()
    [
      a.combineLatest((0..<3).publisher).map { "\($0)" }.eraseToAnyPublisher(),
      a.combineLatest(b, (0..<3).publisher).map { "\($0)" }.eraseToAnyPublisher(),
      a.combineLatest(b, c, (0..<3).publisher).map { "\($0)" }.eraseToAnyPublisher(),
    ].map { $0.last() }.merge(maxPublishers: .max(1)).subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values == [#"("a", 2)"#, #"("a", [1], 2)"#, #"("a", [1], 2.5, 2)"#])
  }

  @Test func `nothing to combine ends at once`() {
    let probe = Probe<[Int], Never>()
    [Just<Int>]().combineLatest().subscribe(probe)
    #expect(probe.completion == .finished)
  }

  @Test
  func `sources on many threads: every source's values come in order, and the last pair is of the last`() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let probe = Probe<[Int], Never>()
    subjects.map { $0.buffer(size: 1000, whenFull: .dropNewest) }.combineLatest().subscribe(probe)
    probe.request(.unlimited)
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for value in 1...1000 { subjects[index].send(value) }
      subjects[index].send(completion: .finished)
    }
    #expect(probe.completion == .finished && probe.violations == [])
    #expect(probe.values.last == [1000, 1000, 1000, 1000])
    for (earlier, later) in zip(probe.values, probe.values.dropFirst()) {
      #expect(zip(earlier, later).map { $1 - $0 }.sorted() == [0, 0, 0, 1])
    }
  }
}
