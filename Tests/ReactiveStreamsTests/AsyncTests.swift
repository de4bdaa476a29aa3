import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Async bridges", .ownThread)
struct AsyncTests {
  @Test func `values arrive one request at a time and end with the stream`() async throws {
    let requests = Log<Subscribers.Demand>()
    var got: [Int] = []
    let source = (0..<5).publisher.handleEvents(receiveRequest: { requests.add($0) })
    for try await value in source.values { got.append(value) }
    #expect(got == [0, 1, 2, 3, 4])
    #expect(requests.entries.allSatisfy { $0 == .max(1) })
  }

  @Test func `the failure is thrown after the values`() async {
    let source = (0..<5).publisher.tryMap { value -> Int in
      if value == 2 { throw TestError(number: 2) }
      return value
    }
    var got: [Int] = []
    await #expect(throws: TestError(number: 2)) {
      for try await value in source.values { got.append(value) }
    }
    #expect(got == [0, 1])
  }

  @Test func `value is the first one; there has to be one`() async throws {
    let first = try await (7...).publisher.value
    #expect(first == 7)
    await #expect(throws: EmptyStreamError()) { try await Empty<Int, Never>().value }
  }

  @Test func `cancelling the task cancels the stream`() async {
    let upstream = ManualPublisher<Int, any Error>()
    let task = Task { try await upstream.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(upstream.cancellations == upstream.subscriptions)
  }

  @Test(arguments: [1, 2, 3, 8])
  func `no more than the capacity is asked for ahead, and all values come in order`(_ capacity: Int)
    async throws
  {
    let upstream = ManualPublisher<Int, Never>()
    var iterator = upstream.values(bufferingAtMost: capacity).makeAsyncIterator()
    #expect(upstream.requested == .max(capacity))
    var sent = 0
    for used in 0..<20 {
      while sent < upstream.requested.max ?? 0 {
        upstream.send(sent)
        sent += 1
      }
      #expect(sent - used <= capacity)
      #expect(try await iterator.next() == used)
    }
    upstream.send(completion: .finished)
    while let value = try await iterator.next() { #expect(value < sent) }
  }

  @Test func `values that wait come before the failure`() async throws {
    let upstream = ManualPublisher<Int, TestError>()
    var iterator = upstream.values(bufferingAtMost: 4).makeAsyncIterator()
    for value in 0..<3 { upstream.send(value) }
    upstream.send(completion: .failure(TestError()))
    for value in 0..<3 { #expect(try await iterator.next() == value) }
    await #expect(throws: TestError()) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: [Int.max, Int.max / 2 + 10])
  func `any number of values may wait`(capacity: Int) async throws {
    var got: [Int] = []
    for try await value in [1, 2, 3].publisher.values(bufferingAtMost: capacity) { got.append(value) }
    #expect(got == [1, 2, 3])
  }

  @Test func `a value that waits may send when it is let go of`() async throws {
    let subject = PassthroughSubject<Farewell?, Never>()
    let ended = Counter()
    do {
      var iterator = subject.values(bufferingAtMost: 4).makeAsyncIterator()
      subject.send(nil)
      _ = try await iterator.next()
      subject.send(
        Farewell {
          subject.send(nil)
          ended.add()
        })
    }
    #expect(ended.current == 1)
  }

  /// An iterator in the hands of two tasks, which its type forbids.
  private struct Shared: @unchecked Sendable {
    let iterator = Empty<Int, Never>(completeImmediately: false).values.makeAsyncIterator()

    func next() async {
      var copy = iterator
      _ = try? await copy.next()
    }
  }

  @Test func `two tasks in one iterator's next trap`() async {
    await #expect(processExitsWith: .failure) {
      let shared = Shared()
      async let first: Void = shared.next()
      async let second: Void = shared.next()
      _ = await (first, second)
    }
  }
}
