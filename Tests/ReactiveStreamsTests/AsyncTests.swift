import ReactiveStreams
import ReactiveStreamsTCK
import Testing

@Suite("Async bridges")
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
}
