import UploadScenario

/// A throwing task group whose child tasks return an index and a receipt, which is stored at that index of an array.
struct TextbookTaskGroup: TextbookShape {
  let name = "textbook/task-group"
  let summary = "an article's task group: of index and receipt, each put in its place"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    Task {
      do {
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        try await withThrowingTaskGroup(of: (Int, Receipt).self) { group in
          for (index, media) in post.media.enumerated() {
            group.addTask { (index, try await response { service.upload(media, completion: $0) }) }
          }
          for try await (index, receipt) in group { receipts[index] = receipt }
        }
        let ordered = receipts.compactMap { $0 }
        let publication = try await response { service.createPost(post, receipts: ordered, completion: $0) }
        completion(.success(publication))
      } catch { completion(.failure(error)) }
    }
    return NoHandle()
  }
}
