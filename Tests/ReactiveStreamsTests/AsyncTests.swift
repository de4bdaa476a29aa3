import ReactiveStreams
import TestSupport
import Testing

@Suite("Async bridges", .ownThread) struct AsyncTests {
  @Test func `value is the first one; there has to be one`() async throws {
    let first = try await (7...).publisher.value
    #expect(first == 7)
    await #expect(throws: EmptyStreamError()) { try await Empty<Int, Never>().value }
  }

  @Test func `a failure of the publisher's own type is thrown as it is`() async throws {
    struct Refused: Error, Equatable {}
    let one = Just(1).setFailureType(to: Refused.self).eraseToAnyPublisher()
    #expect(try await one.value == 1)
    await #expect(throws: Refused()) { try await Fail<Int, Refused>(error: Refused()).value }
  }

  @Test func `cancelling the task cancels the stream`() async {
    let upstream = ManualPublisher<Int, any Error>()
    let task = Task { try await upstream.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(upstream.cancellations == upstream.subscriptions)
  }
}
