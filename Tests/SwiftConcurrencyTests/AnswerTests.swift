import Dispatch
import TestSupport
import Testing
import UploadScenario

@testable import SwiftConcurrencyUploads

@Suite(.ownThread) struct AnswerTests {
  /// A task that starts the request, calls `then` and awaits the answer.
  private func task(_ request: FakeRequest, then: @escaping @Sendable () -> Void = {}) -> Task<Int, any Error>
  {
    Task {
      try await answer {
        request.start($0)
        then()
        return request
      }
    }
  }

  private static func cancelTask() { withUnsafeCurrentTask { $0?.cancel() } }

  @Test func `an answer is the result`() async throws {
    let request = FakeRequest()
    #expect(try await task(request) { request.answer(.success(1)) }.value == 1)
    #expect(request.cancelCount == 0)
  }

  @Test func `a failure is thrown`() async {
    let request = FakeRequest()
    await #expect(throws: Refused.self) {
      try await task(request) { request.answer(.failure(Refused())) }.value
    }
  }

  @Test func `a cancelled task makes no request`() async {
    let request = FakeRequest()
    let task = Task {
      Self.cancelTask()
      return try await answer {
        request.start($0)
        return request
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!request.isStarted)
  }

  @Test func `a request cancelled before it has returned its handle is cancelled afterwards`() async {
    let request = FakeRequest()
    let task = task(request) { Self.cancelTask() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(request.cancelCount == 1)
  }

  @Test func `cancelling the task cancels the request`() async {
    let request = FakeRequest()
    let (starts, starting) = AsyncStream<Void>.makeStream()
    let task = task(request) { starting.yield() }
    for await _ in starts { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(request.cancelCount > 0)
  }

  @Test func `an answer before the cancellation is the result`() async throws {
    let request = FakeRequest()
    let task = task(request) {
      request.answer(.success(1))
      Self.cancelTask()
    }
    #expect(try await task.value == 1)
  }

  @Test func `a failure after the cancellation is a cancellation`() async {
    let task = task(FakeRequest(cancelled: Refused())) { Self.cancelTask() }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A continuation resumed twice ends the process; one never resumed exceeds the suite's time.
  @Test func `an answer and a cancellation that race resume once`() async {
    for round in 0..<1_000 {
      let request = FakeRequest()
      let (starts, starting) = AsyncStream<Void>.makeStream()
      let task = task(request) {
        DispatchQueue.global().async { request.answer(.success(round)) }
        starting.yield()
      }
      // In every other round the request's start is part of the race.
      if round.isMultiple(of: 2) { for await _ in starts { break } }
      task.cancel()
      switch await task.result {
      case .success(let value): #expect(value == round)
      case .failure(let error): #expect(error is CancellationError)
      }
    }
  }
}

private struct Refused: Error {}

/// Answers once: when `answer` is called, or `cancel`.
private final class FakeRequest: Cancellable {
  private struct State {
    var completion: Callback<Int>?
    var isStarted = false
    var cancelCount = 0
  }

  private let state = Guarded(State())
  private let cancelled: any Error

  init(cancelled: any Error = CancellationError()) { self.cancelled = cancelled }

  var isStarted: Bool { state.withLock { $0.isStarted } }
  var cancelCount: Int { state.withLock { $0.cancelCount } }

  func start(_ completion: @escaping Callback<Int>) {
    state.withLock { ($0.completion, $0.isStarted) = (completion, true) }
  }

  func answer(_ result: Result<Int, any Error>) {
    let completion = state.withLock { $0.completion.take() }
    completion?(result)
  }

  func cancel() {
    state.withLock { $0.cancelCount += 1 }
    answer(.failure(cancelled))
  }
}
