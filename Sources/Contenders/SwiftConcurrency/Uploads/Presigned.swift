import UploadScenario

extension SwiftConcurrencyUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(priority: priority.taskPriority, completion) {
      let receipts = try await post.media.mapConcurrently(limit: limit) { media in
        try Task.checkCancellation()
        let prepared = try service.prepare(media)
        let url = try await answer { service.issueURL(for: prepared, completion: $0) }
        return try await service.perform(.uploadTo(url, prepared))
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}

extension PostPriority {
  /// The priority of the tasks of a post. `nil` means the default priority.
  fileprivate var taskPriority: TaskPriority? {
    switch self {
    case .low: .low
    case .normal: nil
    case .high: .high
    }
  }
}
