import ReactiveStreams
import Synchronization
import UploadScenario

/// Publishers awaited through a continuation, cancelled both ways.
struct TextbookBridge: TextbookShape {
  let name = "textbook/bridge"
  let summary = "an article's bridge: a zip of publishers awaited through a continuation"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any UploadScenario.Cancellable {
    let uploads = post.media.map { media in publisher { service.upload(media, completion: $0) } }
    return TaskHandle(
      Task {
        do {
          let receipts = try await response(of: Publishers.ZipMany(uploads).eraseToAnyPublisher())
          let creation = publisher { service.createPost(post, receipts: receipts, completion: $0) }
          completion(.success(try await response(of: creation)))
        } catch { completion(.failure(error)) }
      })
  }
}

private func response<Value: Sendable>(of publisher: AnyPublisher<Value, any Error>) async throws -> Value {
  // The article leaves out its canceller. A cancel may come before there is anything to cancel.
  let canceller = Mutex<(isCancelled: Bool, subscription: AnyCancellable?)>((false, nil))
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      let subscription =
        publisher
        .handleEvents(receiveCancel: { continuation.resume(throwing: CancellationError()) })
        .sink { completion in
          if case .failure(let error) = completion { continuation.resume(throwing: error) }
        } receiveValue: {
          continuation.resume(returning: $0)
        }
      let isCancelled = canceller.withLock { state in
        state.subscription = subscription
        return state.isCancelled
      }
      if isCancelled { subscription.cancel() }
    }
  } onCancel: {
    let subscription = canceller.withLock { state in
      state.isCancelled = true
      return state.subscription
    }
    subscription?.cancel()
  }
}

private final class TaskHandle: UploadScenario.Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }
  func cancel() { task.cancel() }
}
