import UploadScenario

/// A child task for each media file, whose results come with their indices.
struct TaskGroupUploads: PartialContender {
  let name = "swift-concurrency/task-group"
  let summary = "a throwing task group whose results come with their indices"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await withThrowingTaskGroup(of: (index: Int, receipt: Receipt).self) { group in
        var receipts: [Int: Receipt] = [:]
        for (index, media) in post.media.enumerated() {
          if index >= limit ?? .max, let done = try await group.next() {
            receipts[done.index] = done.receipt
          }
          group.addTask { (index, try await service.upload(media)) }
        }
        for try await done in group { receipts[done.index] = done.receipt }
        return post.media.indices.compactMap { receipts[$0] }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}
