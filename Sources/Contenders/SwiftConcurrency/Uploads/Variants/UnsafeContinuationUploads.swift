import Synchronization
import UploadScenario

/// Unsafe continuations: Swift does not report one that is never resumed or is resumed twice.
struct UnsafeContinuationUploads: PartialContender {
  let name = "swift-concurrency/unsafe-continuation"
  let summary = "a throwing task group around unsafe continuations"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await post.media.mapConcurrently(limit: limit) { media in
        try await uncheckedAnswer { service.upload(media, completion: $0) }
      }
      return try await uncheckedAnswer { service.createPost(post, receipts: receipts, completion: $0) }
    }
  }
}

/// Like `answer`, but with an unsafe continuation.
private func uncheckedAnswer<Value: Sendable>(
  to start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  try Task.checkCancellation()
  let handle = Mutex<(any Cancellable)?>(nil)
  do {
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let request = start { continuation.resume(with: $0) }
        handle.withLock { $0 = request }
        if Task.isCancelled { request.cancel() }
      }
    } onCancel: {
      handle.withLock { $0 }?.cancel()
    }
  } catch {
    throw Task.isCancelled ? CancellationError() : error
  }
}
