import UploadScenario

extension SwiftConcurrencyUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
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
