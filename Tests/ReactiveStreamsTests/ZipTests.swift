import ReactiveStreams
import TestSupport
import Testing

@Suite("Zip", .ownThread) struct ZipTests {
  @Test func `a demand of k requests k of each source, and no more`() {
    let left = ManualPublisher<Int, Never>()
    let right = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    left.zip(right).map { $0.0 + $0.1 }.subscribe(probe)
    probe.request(.max(2))
    probe.request(.max(1))
    #expect(left.requested == .max(3) && right.requested == .max(3))
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
}
