import UploadScenario

extension SwiftConcurrencyUploads {
  /// Uploads each media file in a child task. The first error cancels the uploads in flight and prevents further ones. Then the
  /// completion gets the error.
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          // If as many uploads are in flight as the limit allows, one upload must end first.
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
