import UploadScenario

/// A task group over streams of one answer: short, and it keeps every promise of `publish`.
struct YourContender: PartialContender {
  let name = "your-contender", summary = "a task group over one-answer streams", patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let task = Task {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts: [Receipt] = []
        for (index, media) in post.media.enumerated() {
          if index >= limit ?? .max, let receipt = try await group.next() { receipts.append(receipt) }
          group.addTask { try await answer { service.upload(media, completion: $0) } }
        }
        return try await group.reduce(into: receipts) { $0.append($1) }
      }.sorted { $0.mediaIndex < $1.mediaIndex }
      return try await answer { service.createPost(post, receipts: receipts, completion: $0) }
    }
    Task { completion(await task.result) }
    return TaskHandle(task)
  }
}

private final class TaskHandle: Cancellable {
  private let task: Task<Publication, any Error>
  init(_ task: Task<Publication, any Error>) { self.task = task }
  func cancel() { task.cancel() }
}

/// The answer to a request, which is cancelled with the task that awaits it; a second answer is not heard.
private func answer<Value: Sendable>(
  to start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable
) async throws -> Value {
  try Task.checkCancellation()
  let (answers, stream) = AsyncThrowingStream<Value, any Error>.makeStream()
  let request = start { stream.yield(with: $0) }
  // Nobody cancels this task: a cancelled request has an answer, too, and it is the one that counts.
  let first = Task { try await answers.first { _ in true }! }
  return try await withTaskCancellationHandler {
    do { return try await first.value } catch { throw Task.isCancelled ? CancellationError() : error }
  } onCancel: {
    request.cancel()
  }
}
