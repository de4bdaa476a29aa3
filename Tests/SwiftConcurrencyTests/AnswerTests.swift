import Dispatch
import TestSupport
import Testing
import UploadScenario

@testable import SwiftConcurrencyUploads

@Suite(.ownThread) struct AnswerTests {
  @Test func `an answer is the result`() async throws {
    let request = FakeRequest()
    #expect(
      try await answer {
        request.start($0)
        request.answer(.success(1))
        return request
      } == 1)
    #expect(request.cancelCount == 0)
  }

  @Test func `a failure is thrown`() async {
    let request = FakeRequest()
    await #expect(throws: Refused.self) {
      try await answer {
        request.start($0)
        request.answer(.failure(Refused()))
        return request
      }
    }
  }

  @Test func `a cancelled task makes no request`() async {
    let request = FakeRequest()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await answer {
        request.start($0)
        return request
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!request.isStarted)
  }

  @Test func `a request that is cancelled before its handle is there is cancelled once it is`() async {
    let request = FakeRequest()
    let task = Task {
      try await answer {
        request.start($0)
        withUnsafeCurrentTask { $0?.cancel() }
        return request
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(request.cancelCount == 1)
  }

  @Test func `cancelling the task cancels the request`() async {
    let request = FakeRequest()
    let (starts, starting) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await answer {
        request.start($0)
        starting.yield()
        return request
      }
    }
    for await _ in starts { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(request.cancelCount > 0)
  }

  @Test func `an answer that comes before the cancel is the result`() async throws {
    let request = FakeRequest()
    let task = Task {
      try await answer {
        request.start($0)
        request.answer(.success(1))
        withUnsafeCurrentTask { $0?.cancel() }
        return request
      }
    }
    #expect(try await task.value == 1)
  }

  @Test func `a failure that comes after the cancel is a cancellation`() async {
    let request = FakeRequest(cancelled: Refused())
    let task = Task {
      try await answer {
        request.start($0)
        withUnsafeCurrentTask { $0?.cancel() }
        return request
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A continuation that is resumed twice ends the process, and one that is never resumed exceeds the suite's time.
  @Test func `an answer and a cancel that race resume once`() async {
    for round in 0..<1_000 {
      let request = FakeRequest()
      let (starts, starting) = AsyncStream<Void>.makeStream()
      let task = Task {
        try await answer {
          request.start($0)
          DispatchQueue.global().async { request.answer(.success(round)) }
          starting.yield()
          return request
        }
      }
      // In every other round the start of the request takes part in the race.
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
