import UploadScenario

/// Uploads in tasks that begin immediately on the creating thread and run there until they first wait.
@available(macOS 26, *)
struct ImmediateUploads: PartialContender {
  let name = "swift-concurrency/immediate"
  let summary =
    "an immediate task, and immediate tasks in its throwing group: each runs at once until it first waits"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    startImmediately(completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if let limit, media.index >= limit, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addImmediateTask { try await service.upload(media) }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  private func startImmediately(
    _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
  ) -> any Cancellable {
    TaskHandle(
      .immediate {
        do { completion(.success(try await body())) } catch { completion(.failure(error)) }
      })
  }
}
