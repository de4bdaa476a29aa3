import UploadScenario

extension SwiftConcurrencyUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, priority: priority.taskPriority, completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask {
            try Task.checkCancellation()
            let prepared = try await withTaskExecutorPreference(computingExecutor) {
              try service.prepare(media)
            }
            let url = try await service.issueURL(for: prepared)
            return try await service.upload(prepared, to: url)
          }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}

extension PostPriority {
  /// Nil: what a task has that is told nothing.
  fileprivate var taskPriority: TaskPriority? {
    switch self {
    case .low: .low
    case .normal: nil
    case .high: .high
    }
  }
}
