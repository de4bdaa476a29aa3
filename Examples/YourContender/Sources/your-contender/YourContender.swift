import Synchronization
import UploadScenario

/// A task group around checked continuations: short, and it meets every requirement of `publish`.
struct YourContender: PartialContender {
  let name = "your-contender", summary = "a task group around checked continuations"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let task = Task {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts: [Receipt] = []
        for (index, media) in post.media.enumerated() {
          if let limit, index >= limit, let receipt = try await group.next() { receipts.append(receipt) }
          group.addTask { try await request { service.upload(media, completion: $0) } }
        }
        for try await receipt in group { receipts.append(receipt) }
        return receipts.sorted { $0.mediaIndex < $1.mediaIndex }
      }
      return try await request { service.createPost(post, receipts: receipts, completion: $0) }
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

/// Awaits a request, and cancels it with its task.
private func request<Value: Sendable>(
  _ start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  try Task.checkCancellation()
  let handle = Mutex<(any Cancellable)?>(nil)
  do {
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let request = start { continuation.resume(with: $0) }
        handle.withLock { $0 = request }
        // It may have been cancelled before its handle existed.
        if Task.isCancelled { request.cancel() }
      }
    } onCancel: {
      handle.withLock { $0 }?.cancel()
    }
  } catch {
    throw Task.isCancelled ? CancellationError() : error
  }
}
