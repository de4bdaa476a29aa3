import UploadScenario

extension SwiftConcurrencyUploads {
  /// Each upload is a child task. The first error that the group throws ends it: it cancels the other uploads, waits for
  /// them, and no post is created.
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if let limit, media.index >= limit, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask { try await service.upload(media) }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}
