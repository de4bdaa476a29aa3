import Foundation
import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Zip", .ownThread)
struct ZipTests {
  @Test func `pairs are complete, in order, and end with the shorter one`() {
    let probe = Probe<[Int], Never>()
    (0..<3).publisher.zip((10...).publisher).map { [$0.0, $0.1] }.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values == [[0, 10], [1, 11], [2, 12]])
    #expect(probe.completion == .finished)
  }

  @Test func `a demand of k asks k of each source, and no more`() {
    let left = ManualPublisher<Int, Never>()
    let right = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    left.zip(right).map { $0.0 + $0.1 }.subscribe(probe)
    probe.request(.max(2))
    probe.request(.max(1))
    #expect(left.requested == .max(3) && right.requested == .max(3))
  }

  @Test func `unlimited demand does not read sources that wait far ahead`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, Never>(waitsForDemand: true) }
    let probe = Probe<[Int], Never>()
    sources.zip().subscribe(probe)
    probe.request(.unlimited)
    #expect(sources.allSatisfy { $0.requested == .max(64) })
  }

  @Test func `a source that ends with nothing buffered ends the stream and cancels the others`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, Never>() }
    let probe = Probe<[Int], Never>()
    sources.zip().subscribe(probe)
    probe.request(.max(5))
    sources[0].send(1)
    sources[0].send(completion: .finished)
    #expect(probe.completion == nil)
    sources[1].send(2)
    sources[2].send(3)
    #expect(probe.values == [[1, 2, 3]])
    #expect(probe.completion == .finished)
    #expect(sources.map(\.cancellations) == [0, 1, 1])
  }

  @Test func `a failure cancels the others at once, whatever is buffered`() {
    let sources = (0..<3).map { _ in ManualPublisher<Int, TestError>() }
    let probe = Probe<[Int], TestError>()
    sources.zip().subscribe(probe)
    probe.request(.max(5))
    sources[0].send(1)
    sources[1].send(completion: .failure(TestError()))
    #expect(probe.completion == .failure(TestError()))
    #expect(sources.map(\.cancellations) == [1, 0, 1])
  }

  @Test func `two and three publishers keep each value's place and type`() {
    let (a, b, c) = (
      (0..<100).publisher, (0..<100).publisher.map { "\($0)" }, (0..<100).publisher.map { [$0] }
    )
    let probe = Probe<String, Never>()
    [
      a.zip(b).map { "\($0)" }.collect().eraseToAnyPublisher(),
      a.zip(b, c).map { "\($0)" }.collect().eraseToAnyPublisher(),
    ].merge(maxPublishers: .max(1)).map { $0[99] }.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values == [#"(99, "99")"#, #"(99, "99", [99])"#])
  }

  @Test func `nothing to zip ends at once`() {
    let probe = Probe<[Int], Never>()
    [Just<Int>]().zip().subscribe(probe)
    #expect(probe.completion == .finished)
  }

  @Test func `sources fulfilled by many threads while a cancellation races lose nothing and crash nothing`() {
    for round in 0..<200 {
      let answered = DispatchGroup()
      let sources = (0..<5).map { index in
        FromCallback<Int, Never, Void> { resolver in
          DispatchQueue.global().async(group: answered) { resolver.succeed(index) }
        }
      }
      let log = Log<[Int]>()
      let sink = sources.zip().sink { log.add($0) }
      if round.isMultiple(of: 2) { sink.cancel() }
      answered.wait()
      #expect(log.entries == [[0, 1, 2, 3, 4]] || (round.isMultiple(of: 2) && log.entries.isEmpty))
      withExtendedLifetime(sink) {}
    }
  }
}
