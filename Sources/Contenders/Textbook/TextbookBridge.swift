import ReactiveStreams
import UploadScenario

/// Publishers that async code awaits through a continuation.
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
  let canceller = Canceller()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
      let subscription =
        publisher
        .handleEvents(receiveCancel: { continuation.resume(throwing: CancellationError()) })
        .sink { completion in
          switch completion {
          case .failure(let error): continuation.resume(throwing: error)
          case .finished: break
          }
        } receiveValue: { value in
          continuation.resume(returning: value)
        }
      canceller.whenCancelled { subscription.cancel() }
    }
  } onCancel: {
    canceller.cancel()
  }
}

private final class TaskHandle: UploadScenario.Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }
  func cancel() { task.cancel() }
}
