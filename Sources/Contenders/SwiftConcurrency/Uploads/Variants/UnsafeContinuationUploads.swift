import UploadScenario

/// Continuations that nobody checks: who forgets to resume one, or resumes it twice, is not told.
struct UnsafeContinuationUploads: PartialContender {
  let name = "swift-concurrency/unsafe-continuation"
  let summary = "a throwing task group around unsafe continuations"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask { try await unsafely { service.upload(media, completion: $0) } }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await unsafely { service.createPost(post, receipts: receipts, completion: $0) }
    }
  }
}

private func unsafely<Value: Sendable>(
  _ start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  let request = CancellableRequest()
  return try await withTaskCancellationHandler {
    try Task.checkCancellation()
    do {
      return try await withUnsafeThrowingContinuation { continuation in
        request.started(start { if request.isAnsweredFirst() { continuation.resume(with: $0) } })
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  } onCancel: {
    request.cancel()
  }
}
